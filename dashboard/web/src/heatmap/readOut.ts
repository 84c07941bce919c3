/** A heatmap in words: what is at a place, and what is shown of the matrix. */

import * as format from "../ui/format";
import { ASIDE } from "../levels/tree";
import { type Items, type Picture, type Spot, clustersAt, itemsIn, spotAt } from "./picture";
import { written } from "./scale";
import { type Shape, type Span, type View, clusterAt, isWhole } from "./viewport";

/** What is known of a place, line by line; the value comes last. */
export function readOut(overview: Picture | undefined, picture: Picture, row: number, column: number): string[] {
  const near = spotAt(picture, row, column);
  const spot = near ?? (overview && spotAt(overview, row, column));
  if (!spot) return [];
  const of = near ? picture : overview!;
  const { answer, items } = of;
  const clustered = answer.order === "reordered";
  const along = (
    word: string,
    span: Span,
    first: number,
    names: readonly string[] | null,
    starts: readonly number[],
    labels: readonly number[],
  ): string => {
    const what =
      span.to - span.from === 1
        ? `${word} ${names?.[span.from - first] ?? `at position ${format.count(span.from)}`}`
        : `${format.plural(span.to - span.from, word)} (${positions(span)})`;
    return clustered ? `${what}, ${clusterNamed([labels[clusterAt(starts, span.from)]!])}` : what;
  };
  const single = spot.rows.to - spot.rows.from === 1 && spot.columns.to - spot.columns.from === 1;
  const one = items ? itemsIn(items.rows, spot.rows) * itemsIn(items.columns, spot.columns) === 1 : single;
  const lines = items
    ? [placed("row", items.rows, row), placed("column", items.columns, column)]
    : [
        along("row", spot.rows, answer.row_from, answer.row_names, answer.row_clusters, answer.row_labels),
        along(
          "column",
          spot.columns,
          answer.column_from,
          answer.column_names,
          answer.column_clusters,
          answer.column_labels,
        ),
      ];
  lines.push(Number.isNaN(spot.value) ? "missing" : valueOf(of, spot, one));
  if (!single && spot.missing !== null && spot.missing > 0 && !Number.isNaN(spot.value)) {
    lines.push(`${Math.max(1, Math.round(100 * spot.missing))} % of the cells missing`);
  }
  return lines;
}

/** What is at a place that is of one cell, or of several. */
function valueOf({ scale, approximate, sampled }: Picture, { value, expected }: Spot, one: boolean): string {
  const which = one ? "" : sampled ? "one cell " : "mean ";
  const about = approximate ? "≈ " : "";
  if (scale.unit === "category") return `${which}${written(scale, value, 1)}`;
  if (scale.unit === "share" && !one && !sampled) return `${about}${format.percent(value)} ones`;
  const text = `${which}${about}${format.number(value, approximate ? 3 : 4)}`;
  if (expected === undefined || sampled) return text;
  const times = value > 0 && expected > 0 ? `${format.number(value / expected, 2)} times the ` : "";
  return `${text}, ${times}expected ${format.number(expected, 2)}`;
}

const positions = ({ from, to }: Span): string => `positions ${format.count(from)} to ${format.count(to - 1)}`;

/** "row a, cluster 3", "20 rows, a … b, cluster 3": the items at a position of a report's picture. */
export function placed(word: string, items: Items, position: number): string {
  const number = itemsIn(items, { from: position, to: position + 1 });
  const [first, last] = [items.first[position] ?? "", items.last[position] ?? ""];
  const what = number === 1 ? `${word} ${first}` : `${format.plural(number, word)}, ${first} … ${last}`;
  const clusters = clustersAt(items, position);
  if (!clusters) return what;
  return `${what}, ${clusterNamed(clusters)}`;
}

/** "cluster 3", "clusters 3 and 7", "5 clusters"; or that they are set aside. */
function clusterNamed(labels: readonly number[]): string {
  const named = labels.filter((label) => label !== ASIDE);
  if (named.length === 0) return "set aside";
  if (named.length === 1) return `cluster ${named[0]}`;
  return named.length === 2 ? `clusters ${named.join(" and ")}` : format.plural(named.length, "cluster");
}

/** What is shown of a matrix. */
export function summarised(view: View, shape: Shape, { answer, items, sampled }: Picture): string {
  const [rows, columns] = [items?.rows.count ?? shape.rows, items?.columns.count ?? shape.columns];
  const part = (span: Span, of: Items | undefined, all: string): string =>
    isWhole(view, shape) ? all : `${format.count(itemsIn(of, span))} of ${all}`;
  const what = [
    part(view.rows, items?.rows, format.plural(rows, "row")),
    part(view.columns, items?.columns, format.plural(columns, "column")),
  ].join(" × ");
  const sample =
    answer.exact || items ? "" : ` Each pixel shows ${sampled ? "one of its cells" : "a sample of its cells"}.`;
  const order =
    answer.order === "original"
      ? "as the file has them"
      : `by cluster: ${[
          format.plural(clustersIn(answer.row_clusters, answer.row_labels, items?.rows, view.rows), "row cluster"),
          format.plural(
            clustersIn(answer.column_clusters, answer.column_labels, items?.columns, view.columns),
            "column cluster",
          ),
        ].join(" × ")}`;
  return `${isWhole(view, shape) ? "All " : ""}${what}, ${order}.${sample}`;
}

/** How many clusters a span shows some of, without what is set aside. */
function clustersIn(
  starts: readonly number[],
  labels: readonly number[],
  items: Items | undefined,
  { from, to }: Span,
): number {
  const [first, last] = [Math.floor(from), Math.ceil(to) - 1];
  const [ends, start, stop] = items?.clusters
    ? [items.clusters, items.start[first]!, items.stop[last]!]
    : [starts, first, last + 1];
  const shown = labels.filter((_, place) => ends[place]! < stop && ends[place + 1]! > start);
  return new Set(shown.filter((label) => label !== ASIDE)).size;
}
