/** Where the partitions of two runs disagree: items by their cluster in either. */
import { get } from "../../api/client";
import type { Comparison } from "../../api/types";
import { useResource } from "../../api/use";
import { colour, inkOn } from "../../heatmap/colours";
import { Loading, ProblemNote, format, useDark } from "../../ui";
import { matched } from "./contingency";

/** Clusters of a partition that are shown. */
const MOST = 50;

interface Props {
  ids: readonly [string, string];
  labels: readonly [string, string];
  /** A comparison whose first two runs are these, if there is one. */
  known: Comparison | undefined;
}

export function Disagreement({ ids, labels, known }: Props) {
  const asked = useResource(
    (signal) => (known ? Promise.resolve(known) : get("/compare", { query: { runs: ids.join() }, signal })),
    [ids, known !== undefined],
  );
  const contingency = asked.data?.contingency;
  return (
    <section aria-labelledby="disagreement">
      <div class="bar">
        <h2 id="disagreement">
          Where they disagree{" "}
          <small>
            {labels[0]} against {labels[1]}
          </small>
        </h2>
      </div>
      {asked.problem && <ProblemNote problem={asked.problem} retry={asked.reload} />}
      {!contingency && !asked.problem && <Loading what="Counting" />}
      {contingency && (
        <div class="pair">
          <Table title="Rows" word="row" table={contingency.rows} labels={labels} />
          <Table title="Columns" word="column" table={contingency.columns} labels={labels} />
        </div>
      )}
    </section>
  );
}

function Table({
  title,
  word,
  table,
  labels,
}: {
  title: string;
  word: string;
  table: readonly (readonly number[])[];
  labels: readonly [string, string];
}) {
  const theme = useDark() ? "dark" : "light";
  const { order, agreed, total } = matched(table);
  const shown = order.slice(0, MOST);
  const said =
    agreed === total
      ? `All ${format.plural(total, word)} are in clusters that go together.`
      : `${format.plural(total - agreed, word)} of ${format.count(total)} (${format.percent((total - agreed) / total)}) are outside the clusters that go together.`;
  return (
    <div>
      <p class="disagreement">
        <strong>{title}</strong> {said}
      </p>
      <div
        class="wide tall"
        tabIndex={0}
        role="region"
        aria-label={`${title} by cluster in ${labels[0]} and in ${labels[1]}`}
      >
        <table class="shades">
          <caption class="spoken">{said}</caption>
          <thead>
            <tr>
              <td class="axes">
                <small>
                  ↓ {labels[0]}
                  <br />→ {labels[1]}
                </small>
              </td>
              {shown.map((l) => (
                <th key={l} scope="col">
                  {l}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.slice(0, MOST).map((row, k) => {
              const size = row.reduce((sum, count) => sum + count, 0);
              return (
                <tr key={k}>
                  <th scope="row">{k}</th>
                  {shown.map((l) => {
                    const count = row[l] ?? 0;
                    if (count === 0) return <td key={l} class="none" />;
                    // Of its row, and never so pale that it looks like none.
                    const share = 0.12 + (0.88 * count) / size;
                    return (
                      <td key={l} style={{ background: colour(theme, share), color: inkOn(theme, share) }}>
                        {format.count(count)}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {(table.length > MOST || order.length > MOST) && <p class="note">Shown are the first {MOST} clusters.</p>}
    </div>
  );
}
