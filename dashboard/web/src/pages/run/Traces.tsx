/** What the chains did, iteration by iteration. */
import { useMemo } from "preact/hooks";

import { type Run, type StreamTrace, isLive } from "../../api/types";
import { Key, LineChart } from "../../charts/LineChart";
import { Empty, Loading, ProblemNote, format } from "../../ui";
import { type Measure, drawn, linesOf, nameOf } from "./trace";
import type { Traces as Found } from "./useTrace";

export const MEASURES: readonly {
  measure: Measure;
  title: string;
  integers?: boolean;
  text?: (value: number) => string;
  /** The option that says whether it is learned; else it stays as it was given. */
  learned?: string;
}[] = [
  { measure: "log_joint", title: "Log joint", text: format.logJoint },
  { measure: "row_clusters", title: "Row clusters K", integers: true, text: format.count },
  { measure: "column_clusters", title: "Column clusters L", integers: true, text: format.count },
  { measure: "seconds", title: "Seconds per iteration", text: (value) => `${format.number(value, 2)} s` },
  { measure: "alpha", title: "Concentration of rows α", learned: "alpha" },
  { measure: "beta", title: "Concentration of columns β", learned: "beta" },
];

export function Traces({ run, traces }: { run: Run; traces: Found }) {
  const { streams, problem } = traces;
  const shown = useMemo(() => drawn(streams ?? []), [streams]);
  return (
    <section aria-labelledby="traces">
      <div class="bar">
        <h2 id="traces">Traces</h2>
        {shown.length > 1 && <Key labels={shown.map(nameOf)} />}
      </div>
      {problem && <ProblemNote problem={problem} />}
      {streams === undefined ? (
        !problem && <Loading what="Reading the traces" />
      ) : shown.length === 0 ? (
        <Empty title={isLive(run.state) ? "No iteration is done yet" : "No iteration was done"}>
          {isLive(run.state) && (
            <p>The log joint, the numbers of clusters and the seconds of each iteration appear here as they come.</p>
          )}
        </Empty>
      ) : (
        <Charts run={run} streams={shown} />
      )}
    </section>
  );
}

function Charts({ run, streams }: { run: Run; streams: readonly StreamTrace[] }) {
  const lines = useMemo(
    () => Object.fromEntries(MEASURES.map(({ measure }) => [measure, linesOf(streams, measure)])),
    [streams],
  );
  const burnIn = Number(run.options["burn_in"] ?? 0);
  return (
    <>
      <div class="charts">
        {MEASURES.filter(({ learned }) => learned === undefined || run.options[learned] === "learn").map((each) => (
          <LineChart
            key={each.measure}
            title={each.title}
            lines={lines[each.measure]!}
            sync={`run-${run.id}`}
            integers={each.integers}
            burnIn={streams[0]!.short === null ? burnIn : 0}
            text={each.text}
          />
        ))}
      </div>
      <p class="note">
        {burnIn > 0 && `The first ${format.plural(burnIn, "iteration")}, shaded, are burn-in. `}
        The log joint is higher the better clusters and table go together. Compare it only between runs of the
        same table and transform. Drag across a chart to look closer, double-click to see all.
      </p>
    </>
  );
}
