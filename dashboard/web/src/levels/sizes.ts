/** The clusters of a level, by what is known of the clusters of the run. */
import type { Size } from "../tables/SizeTable";
import type { Branches } from "./level";

/** Names of members that are told. */
const MOST = 8;

/** What a table of cluster sizes shows; clusters of which nothing is known add nothing. */
type Known = Omit<Size, "confidence"> & { readonly confidence: number | null | undefined };

export function sizesOf({ cut }: Branches, fine: readonly Known[]): readonly Size[] {
  const members: string[][] = cut.sizes.map(() => []);
  const sure = cut.sizes.map(() => ({ sum: 0, size: 0 }));
  for (const { label, size, members: names, confidence } of fine) {
    const branch = cut.labels[label] ?? -1;
    if (branch < 0) continue;
    members[branch]!.push(...names.slice(0, MOST - members[branch]!.length));
    if (confidence == null) continue;
    sure[branch]!.sum += confidence * size;
    sure[branch]!.size += size;
  }
  return cut.sizes.map((size, label) => ({
    label,
    size,
    members: members[label]!,
    confidence: sure[label]!.size > 0 ? sure[label]!.sum / sure[label]!.size : undefined,
  }));
}
