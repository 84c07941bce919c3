/** A picture of the clusters of a run, with the clusters of a level in their place. */
import type { Items, Picture } from "../heatmap/picture";
import { linksOf } from "./links";
import type { Level } from "./level";

/** Neighbours of one branch together. */
export function joined(
  starts: readonly number[],
  shown: readonly number[],
  branch: readonly number[],
): { readonly starts: readonly number[]; readonly labels: readonly number[] } {
  const [found, labels]: [number[], number[]] = [[], []];
  shown.forEach((cluster, place) => {
    const label = branch[cluster] ?? cluster;
    if (label === labels.at(-1)) return;
    found.push(starts[place]!);
    labels.push(label);
  });
  return { starts: [...found, starts.at(-1)!], labels };
}

/** A picture at a level; one that is not sorted by cluster as it is. */
export function regrouped(picture: Picture, { rows, columns }: Level): Picture {
  const { answer, items } = picture;
  if (answer.order !== "reordered") return picture;
  const down = joined(answer.row_clusters, answer.row_labels, rows.cut.labels);
  const across = joined(answer.column_clusters, answer.column_labels, columns.cut.labels);
  return {
    ...picture,
    answer: {
      ...answer,
      row_clusters: down.starts,
      row_labels: down.labels,
      column_clusters: across.starts,
      column_labels: across.labels,
    },
    items: items && {
      rows: withBranches(items.rows, rows.cut.labels),
      columns: withBranches(items.columns, columns.cut.labels),
    },
    trees: {
      rows: linksOf(rows.tree, rows.cut, down.starts, down.labels),
      columns: linksOf(columns.tree, columns.cut, across.starts, across.labels),
    },
  };
}

function withBranches(items: Items, branch: readonly number[]): Items {
  if (!items.clusters || !items.labels) return items;
  const { starts, labels } = joined(items.clusters, items.labels, branch);
  return { ...items, clusters: starts, labels };
}
