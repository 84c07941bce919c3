/** Runs side by side: what they found, how far they agree, what they were asked in different ways. */
import { get } from "../../api/client";
import { useResource } from "../../api/use";
import { Key, SERIES } from "../../charts/LineChart";
import { Link, navigate, useQuery } from "../../router";
import { Button, Empty, Guard, Loading, PageHead, ProblemNote, StateBadge, format, shortened, titleOf } from "../../ui";
import { shown } from "../run/values";
import { Agreement } from "./Agreement";
import { Disagreement } from "./Disagreement";
import { OverlaidTraces } from "./OverlaidTraces";
import { MOST_RUNS, compareAddress } from "./address";
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
  const results = comparison.data?.runs;
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
      {runs.data && (
        <div class="wide" tabIndex={0} role="region" aria-label="The runs">
          <table>
            <thead>
              <tr>
                <th>Run</th>
                <th>State</th>
                <th class="number">K × L</th>
                <th class="number">Log joint</th>
                <th class="number">Iterations</th>
                <th>
                  <span class="spoken">Change the choice</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {runs.data.map((run, i) => (
                <tr key={run.id}>
                  <td class="title">
                    <i class={`dot series-${i % SERIES}`} aria-hidden="true" />{" "}
                    <Link href={`/runs/${run.id}`}>{titleOf(run)}</Link> <code>{run.id}</code>
                  </td>
                  <td>
                    <StateBadge state={run.state} stage={run.stage} />
                  </td>
                  <td class="number">
                    {format.shape(
                      results?.[i]?.row_clusters ?? run.row_clusters,
                      results?.[i]?.column_clusters ?? run.column_clusters,
                    )}
                  </td>
                  <td class="number">{format.logJoint(results?.[i]?.log_joint ?? run.log_joint)}</td>
                  <td class="number">{format.count(run.progress.done)}</td>
                  <td>
                    {ids.length > 2 && (
                      <Button
                        kind="quiet"
                        aria-label={`Leave ${labels[i]} out`}
                        onClick={() => navigate(compareAddress(ids.filter((id) => id !== ids[i])))}
                      >
                        Leave out
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
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
          <section aria-labelledby="differ">
            <div class="bar">
              <h2 id="differ">Parameters that differ</h2>
            </div>
            {comparison.data.parameters.length === 0 ? (
              <p class="note">None: these runs were asked for the same.</p>
            ) : (
              <div class="wide" tabIndex={0} role="region" aria-label="Their values">
                <table class="compact">
                  <thead>
                    <tr>
                      <th>Parameter</th>
                      {labels.map((label) => (
                        <th key={label} class="title">
                          {label}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {comparison.data.parameters.map((parameter) => (
                      <tr key={parameter.name}>
                        <th scope="row">{parameter.name.replaceAll("_", " ")}</th>
                        {parameter.values.map((value, i) => (
                          <td key={i}>{shown(value, parameter.name)}</td>
                        ))}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </section>
        </>
      )}
    </>
  );
}
