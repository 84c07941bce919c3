/** What makes each cluster of the level that is shown: a panel for each, with figures and typical members. */
import { useState } from "preact/hooks";

import { get } from "../../api/client";
import type { Explanation, Run } from "../../api/types";
import { useResource } from "../../api/use";
import type { Level } from "../../levels/level";
import { capitalized } from "../../report/ProfileSection";
import { useQuery } from "../../router";
import { Button, Loading, ProblemNote, format } from "../../ui";

/** Cells up to which it is told unasked: it takes a second or two. */
const FEW = 300_000;

/** Panels that are shown at first. */
const MOST = 12;

type Axis = "rows" | "columns";

interface Props {
  run: Run;
  level: Level | undefined;
  onLook: (axis: Axis, cluster: number) => void;
}

export function Explained({ run, level, onLook }: Props) {
  const [query, change] = useQuery();
  const axis: Axis = query.get("explain") === "columns" ? "columns" : "rows";
  const { rows, columns, dimension } = run.dataset;
  const [wanted, setWanted] = useState((rows ?? 0) * (columns ?? 0) * (dimension ?? 1) <= FEW);
  const number = level?.[axis].number ?? null;
  const { data, problem, loading, reload } = useResource(
    (signal) =>
      wanted
        ? get("/runs/{run_id}/explanation", { path: { run_id: run.id }, query: { axis, clusters: number }, signal })
        : Promise.resolve(undefined),
    [run.id, axis, number, wanted],
  );
  const word = axis === "rows" ? "row" : "column";
  return (
    <section aria-labelledby="explained">
      <div class="bar">
        <h2 id="explained">
          What makes each {word} cluster <small>{axis === "rows" ? "columns" : "rows"} that set it apart from all others</small>
        </h2>
        <fieldset class="segments">
          <legend class="spoken">Whose clusters</legend>
          {(["rows", "columns"] as const).map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="explain"
                checked={axis === each}
                onChange={() => change({ explain: each === "rows" ? null : each })}
              />
              <span>{each === "rows" ? "Row clusters" : "Column clusters"}</span>
            </label>
          ))}
        </fieldset>
      </div>
      {!wanted && <Button onClick={() => setWanted(true)}>Tell what makes them</Button>}
      {problem && <ProblemNote problem={problem} retry={problem.kind === "input" ? undefined : reload} />}
      {wanted && loading && !data && <Loading what="Weighing the columns of each cluster" />}
      {data && <Panels key={`${data.axis} ${data.clusters.length}`} found={data} word={word} transform={run.transform} onLook={onLook} />}
    </section>
  );
}

function Panels({
  found,
  word,
  transform,
  onLook,
}: {
  found: Explanation;
  word: "row" | "column";
  transform: string;
  onLook: Props["onLook"];
}) {
  const [all, setAll] = useState(false);
  const shown = all ? found.clusters : found.clusters.slice(0, MOST);
  if (found.clusters.length < 2) return <p class="note">There is one cluster, so nothing sets it apart.</p>;
  return (
    <>
      <div class="panels">
        {shown.map((each) => (
          <Panel key={each.cluster} told={each} found={found} word={word} onLook={() => onLook(found.axis, each.cluster)} />
        ))}
      </div>
      {shown.length < found.clusters.length && (
        <Button onClick={() => setAll(true)}>Show all {format.count(found.clusters.length)} clusters</Button>
      )}
      <p class="note">
        At most 5 % of the names are expected to be there by chance.
        {transform !== "none" && ` The figures are of the values after ${transform}.`} <code>disnplbm explain</code> writes
        all of them to a file.
      </p>
    </>
  );
}

function Panel({
  told,
  found: { figure, components },
  word,
  onLook,
}: {
  told: Explanation["clusters"][number];
  found: Explanation;
  word: "row" | "column";
  onLook: () => void;
}) {
  const { cluster, size, apart, named, typical, least_typical } = told;
  const other = word === "row" ? "column" : "row";
  const rows = named.flatMap(({ name, own, rest }) =>
    own.map((value, i) => ({ name: own.length > 1 ? `${name}: ${components[i] ?? i}` : name, value, rest: rest[i] ?? null })),
  );
  const write = format.column(rows.flatMap(({ value, rest }) => [value, rest]).filter((each) => each !== null));
  return (
    <article class="panel" aria-label={`What makes ${word} cluster ${cluster}`}>
      <h3>
        <button type="button" class="plain" onClick={onLook} title="Show it in the heatmap">
          Cluster {cluster}
        </button>{" "}
        <small>{format.plural(size, word)}</small>
      </h3>
      <p>{capitalized(told.told)}.</p>
      {rows.length > 0 && (
        <details>
          <summary>
            {format.plural(apart, other)} set{apart === 1 ? "s" : ""} it apart
          </summary>
          <table>
            <thead>
              <tr>
                <th>{capitalized(other)}</th>
                <th class="number">{capitalized(figure)} here</th>
                <th class="number">elsewhere</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ name, value, rest }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="number">{write(value)}</td>
                  <td class="number">{write(rest)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {apart > named.length && <p class="note">The {format.count(named.length)} most telling of {format.count(apart)}.</p>}
        </details>
      )}
      <p class="note">
        Typical: {typical.join(", ")}
        {least_typical.length > 0 && `. Least typical: ${least_typical.join(", ")}`}.
      </p>
    </article>
  );
}
