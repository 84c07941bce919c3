/** What the chains did, iteration by iteration. */
import { useMemo } from "preact/hooks";

import { Key, LineChart } from "../charts/LineChart";
import type { Line } from "../charts/series";
import { taken } from "../charts/ticks";
import * as format from "../ui/format";
import type { Measure, RunDocument, TraceDocument } from "./document";

/** With at least this many iterations the traces can be narrowed to their second half. */
const LATE_FROM = 20;

const MEASURES: readonly {
  measure: Measure;
  title: string;
  integers?: boolean;
  text: (value: number) => string;
}[] = [
  { measure: "log_joint", title: "Log joint", text: format.logJoint },
  { measure: "row_clusters", title: "Row clusters K", integers: true, text: format.count },
  { measure: "column_clusters", title: "Column clusters L", integers: true, text: format.count },
  { measure: "seconds", title: "Seconds an iteration", text: taken },
];

interface Props {
  readonly found: RunDocument;
  readonly late: boolean;
  readonly onLate: (late: boolean) => void;
}

export function TraceSection({ found, late, onLate }: Props) {
  const { run, traces, shown } = found;
  const iterations = traces.lines.log_joint.iteration.at(-1) ?? 0;
  const labels = traces.lines.log_joint.chains.map((_, chain) => `chain ${chain}`);
  const after = late && iterations >= LATE_FROM ? Math.floor(iterations / 2) : 0;
  const lines = useMemo(
    () => Object.fromEntries(MEASURES.map(({ measure }) => [measure, linesOf(traces.lines[measure], labels, after)])),
    [traces, after],
  );
  const figures: Record<Measure, string> = {
    log_joint: `${shown} ${format.logJoint(run.log_joint)}`,
    row_clusters: `${shown} ${format.count(run.row_clusters)}`,
    column_clusters: `${shown} ${format.count(run.column_clusters)}`,
    seconds: `mean ${taken(traces.seconds)}`,
  };
  return (
    <section aria-labelledby="trace-title">
      <div class="bar">
        <h2 id="trace-title">Traces</h2>
        {labels.length > 1 && <Key labels={labels} />}
        {iterations >= LATE_FROM && (
          <fieldset class="segments">
            <legend>Iterations</legend>
            {(["all", "late"] as const).map((each) => (
              <label key={each}>
                <input
                  type="radio"
                  name="trace"
                  value={each}
                  checked={late === (each === "late")}
                  onChange={() => onLate(each === "late")}
                />
                <span>{each === "all" ? "All" : "Second half"}</span>
              </label>
            ))}
          </fieldset>
        )}
      </div>
      <div class="charts">
        {MEASURES.map((each) => (
          <LineChart
            key={each.measure}
            title={each.title}
            lines={lines[each.measure]!}
            sync="report"
            integers={each.integers}
            burnIn={traces.burn_in > after ? traces.burn_in : 0}
            text={each.text}
            rest={figures[each.measure]}
          />
        ))}
      </div>
      <p class="note">
        {traces.burn_in > after &&
          `The first ${format.plural(traces.burn_in, "iteration")}, shaded, are burn-in. `}
        The log joint is higher the better clusters and table go together. Drag across a chart to look closer,
        double-click to see all.
      </p>
    </section>
  );
}

/** A line for each chain, of the iterations after one. */
function linesOf(
  { iteration, chains }: TraceDocument["lines"][Measure],
  labels: readonly string[],
  after: number,
): Line[] {
  const from = Math.max(0, iteration.findIndex((each) => each > after));
  return chains.map((values, chain) => ({ label: labels[chain]!, x: iteration.slice(from), y: values.slice(from) }));
}
