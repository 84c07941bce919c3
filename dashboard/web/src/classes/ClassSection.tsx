/** How the clusters of the level that is shown meet the classes that are known: a table of cluster and class. */
import { colour, inkOn } from "../heatmap/colours";
import { shareOf } from "../heatmap/scale";
import { ASIDE } from "../levels/tree";
import type { Roster } from "../members/roster";
import * as format from "../ui/format";
import { useDark } from "../ui/theme";
import { type Classes, coloursOf, crossed } from "./classes";
import "./classes.css";

/** Clusters and classes that a table shows. */
const [MOST_CLUSTERS, MOST_CLASSES] = [60, 30];

type Known = Roster & { readonly classes?: Classes | undefined };

interface Props {
  readonly rows: Known | null | undefined;
  readonly columns: Known | null | undefined;
}

export function ClassSection({ rows, columns }: Props) {
  if (!rows?.classes && !columns?.classes) return null;
  return (
    <section aria-labelledby="classes">
      <div class="bar">
        <h2 id="classes">
          Known classes <small>how many members of each class a cluster has; the fit does not see them</small>
        </h2>
      </div>
      {rows?.classes && <ClassTable word="row" roster={rows} classes={rows.classes} />}
      {columns?.classes && <ClassTable word="column" roster={columns} classes={columns.classes} />}
    </section>
  );
}

function ClassTable({ word, roster, classes }: { word: "row" | "column"; roster: Roster; classes: Classes }) {
  const theme = useDark() ? "dark" : "light";
  const found = crossed(classes, roster);
  const colours = coloursOf(classes);
  const names = classes.names.slice(0, MOST_CLASSES);
  const unknown = found.some((each) => each.unknown > 0);
  const totals = classes.names.map((_, i) => found.reduce((sum, { counts }) => sum + counts[i]!, 0));
  return (
    <>
      <div class="wide tall" tabIndex={0} role="region" aria-label={`Classes of ${word} clusters`}>
        <table class="class-table">
          <thead>
            <tr>
              <th>{word === "row" ? "Row cluster" : "Column cluster"}</th>
              {names.map((name, i) => (
                <th key={name} scope="col" class="number">
                  <i style={{ background: colour(theme, shareOf(colours, i), colours.kind) }} aria-hidden="true" /> {name}{" "}
                  <small>{format.count(totals[i])}</small>
                </th>
              ))}
              {unknown && (
                <th scope="col" class="number">
                  not known
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, MOST_CLUSTERS).map(({ cluster, size, counts, unknown: none }) => (
              <tr key={cluster}>
                <th scope="row">
                  {cluster === ASIDE ? "set aside" : cluster} <small>{format.plural(size, word)}</small>
                </th>
                {names.map((name, i) => (
                  <td key={name} class="number" style={shade(theme, counts[i]! / size)} title={`${format.percent(counts[i]! / size)} of the cluster`}>
                    {counts[i] === 0 ? <span class="none">0</span> : format.count(counts[i])}
                  </td>
                ))}
                {unknown && <td class="number">{format.count(none)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(found.length > MOST_CLUSTERS || names.length < classes.names.length) && (
        <p class="note">
          The table shows at most {MOST_CLUSTERS} clusters and {MOST_CLASSES} classes; {word}s.csv has the class of each {word}.
        </p>
      )}
    </>
  );
}

/** The darker, the more of a cluster is of the class. */
const shade = (theme: "light" | "dark", share: number) =>
  share > 0 ? { background: colour(theme, 0.75 * share), color: inkOn(theme, 0.75 * share) } : {};
