/** Runs side by side: what they found, how far they agree, what they were asked in different ways. */
import { get } from "../../api/client";
import { useResource } from "../../api/use";
import { Key } from "../../charts/LineChart";
import { Link, useQuery } from "../../router";
import { Empty, Guard, Loading, PageHead, ProblemNote, format, shortened, titleOf } from "../../ui";
import { Agreement } from "./Agreement";
import { Chosen } from "./Chosen";
import { Differing } from "./Differing";
import { Disagreement } from "./Disagreement";
import { OverlaidTraces } from "./OverlaidTraces";
import { MOST_RUNS } from "./address";
import "./compare.css";
import { parsedPair } from "./contingency";

export function ComparePage({ ids }: { ids: string[] }) {
  const runs = [...new Set(ids)];
  if (runs.length < 2 || runs.length > MOST_RUNS) {
    return (
      <>
        <PageHead title="Compare runs" />
        <Empty
          title={
            runs.length < 2
              ? "There are fewer than two runs to compare"
              : `These are ${runs.length} runs, and at most ${MOST_RUNS} can be compared`
          }
        >
          <p>
            Choose two to ten finished runs of one dataset in the <Link href="/runs">list of runs</Link>
            {runs.length === 1 && (
              <>
                , or below the results of <Link href={`/runs/${runs[0]}`}>run {runs[0]}</Link>
              </>
            )}
            .
          </p>
        </Empty>
      </>
    );
  }
  return <Compared key={runs.join()} ids={runs} />;
}

function Compared({ ids }: { ids: readonly string[] }) {
  const [query, change] = useQuery();
  const runs = useResource(
    (signal) => Promise.all(ids.map((id) => get("/runs/{run_id}", { path: { run_id: id }, signal }))),
    [ids],
  );
  const comparison = useResource((signal) => get("/compare", { query: { runs: ids.join() }, signal }), [ids]);
  const [first, second] = parsedPair(query.get("pair"), ids.length);
  const measure = query.get("measure") === "nmi" ? "nmi" : "ari";
  const names = ids.map((id, i) => (runs.data?.[i] ? shortened(titleOf(runs.data[i])) : id));
  // Runs of one table often have one name.
  const labels = names.map((name, i) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} ${ids[i]!.slice(0, 4)}`,
  );
  return (
    <>
      <PageHead title={`Compare ${format.plural(ids.length, "run")}`} />
      {runs.problem && <ProblemNote problem={runs.problem} retry={runs.reload} />}
      {!runs.data && !runs.problem && <Loading what="Reading the runs" />}
      {runs.data && <Chosen runs={runs.data} labels={labels} results={comparison.data?.runs} />}
      <section aria-labelledby="overlaid">
        <div class="bar">
          <h2 id="overlaid">Traces</h2>
          <Key labels={labels} />
        </div>
        <Guard>
          <OverlaidTraces ids={ids} labels={labels} />
        </Guard>
      </section>
      {comparison.problem && (
        <ProblemNote problem={comparison.problem} retry={comparison.reload}>
          <p>Partitions can be compared of finished runs of one table only.</p>
        </ProblemNote>
      )}
      {!comparison.data && !comparison.problem && <Loading what="Comparing the partitions" />}
      {comparison.data && (
        <>
          <Guard>
            <Agreement
              comparison={comparison.data}
              labels={labels}
              measure={measure}
              pair={[first, second]}
              onMeasure={(next) => change({ measure: next === "ari" ? null : next })}
              onPair={(a, b) => change({ pair: a === 0 && b === 1 ? null : `${a}-${b}` })}
            />
          </Guard>
          <Guard>
            <Disagreement
              ids={[ids[first]!, ids[second]!]}
              labels={[labels[first]!, labels[second]!]}
              known={first === 0 && second === 1 ? comparison.data : undefined}
            />
          </Guard>
          <Differing parameters={comparison.data.parameters} labels={labels} />
        </>
      )}
    </>
  );
}
