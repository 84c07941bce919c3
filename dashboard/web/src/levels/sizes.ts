/** The clusters of a level, by what is known of the clusters of the run. */
import type { Size } from "../tables/SizeTable";
import type { AxisCurves, Branches } from "./level";

/** Names of members that are told. */
const MOST = 8;

/** What a table of cluster sizes shows; clusters of which nothing is known add nothing. */
type Known = Omit<Size, "confidence"> & { readonly confidence: number | null | undefined };

/**
 * The clusters of a level.
 *
 * @param curves What is known of all levels of the axis: how sure each cluster is there.
 */
export function sizesOf(
  { cut, number }: Branches,
  fine: readonly Known[],
  curves: AxisCurves | undefined,
): readonly Size[] {
  const members: string[][] = cut.sizes.map(() => []);
  const sure = number === null ? [] : curves?.cluster_confidence?.[curves.levels.indexOf(number)];
  const known = new Map<number, number | undefined>(sure?.entries());
  for (const { label, members: names, confidence } of fine) {
    const branch = cut.labels[label] ?? -1;
    if (branch < 0) continue;
    members[branch]!.push(...names.slice(0, MOST - members[branch]!.length));
    if (number === null) known.set(branch, confidence ?? undefined);
  }
  return cut.sizes.map((size, label) => ({ label, size, members: members[label]!, confidence: known.get(label) }));
}
