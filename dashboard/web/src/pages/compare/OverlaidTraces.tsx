/** The first chain of each run, on one axis. */
import { useMemo } from "preact/hooks";

import { get } from "../../api/client";
import { useResource } from "../../api/use";
import { LineChart } from "../../charts/LineChart";
import { Loading, ProblemNote } from "../../ui";
import { MEASURES } from "../run/Traces";

/** What every run has: not all of them learn the others. */
const CHARTS = MEASURES.filter(({ learned }) => learned === undefined);

export function OverlaidTraces({ ids, labels }: { ids: readonly string[]; labels: readonly string[] }) {
  const { data, problem, reload } = useResource(
    (signal) =>
      Promise.all(
        ids.map((id) =>
          get("/runs/{run_id}/trace", { path: { run_id: id }, query: { stream: 0 }, signal }).then(
            (found) => found.streams[0],
          ),
        ),
      ),
    [ids],
  );
  const names = labels.join("\n");
  const lines = useMemo(
    () =>
      Object.fromEntries(
        CHARTS.map(({ measure }) => [
          measure,
          (data ?? []).map((stream, i) => ({
            label: labels[i]!,
            x: stream?.iteration ?? [],
            y: stream?.[measure] ?? [],
          })),
        ]),
      ),
    [data, names],
  );
  if (problem) return <ProblemNote problem={problem} retry={reload} />;
  if (!data) return <Loading what="Reading the traces" />;
  return (
    <>
      <div class="charts">
        {CHARTS.map((each) => (
          <LineChart
            key={each.measure}
            title={each.title}
            lines={lines[each.measure]!}
            sync="compare"
            integers={each.integers}
            text={each.text}
          />
        ))}
      </div>
      <p class="note">Each line is the first chain of its run.</p>
    </>
  );
}
