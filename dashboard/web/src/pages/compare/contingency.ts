/** How the clusters of two partitions go together. */

export interface Matched {
  /** Clusters of the second partition, each below the one of the first that it shares most items with. */
  readonly order: readonly number[];
  /** Items that are in clusters that go together. */
  readonly agreed: number;
  readonly total: number;
}

/** Pair the clusters off, the largest overlap first; `table` counts items by their cluster in either partition. */
export function matched(table: readonly (readonly number[])[]): Matched {
  const columns = table[0]?.length ?? 0;
  const cells = table.flatMap((row, k) => row.map((count, l) => ({ k, l, count })));
  const total = cells.reduce((sum, cell) => sum + cell.count, 0);
  const partner = new Map<number, number>();
  const taken = new Set<number>();
  let agreed = 0;
  for (const { k, l, count } of cells.filter((cell) => cell.count > 0).sort((a, b) => b.count - a.count)) {
    if (partner.has(k) || taken.has(l)) continue;
    partner.set(k, l);
    taken.add(l);
    agreed += count;
  }
  const paired = table.flatMap((_, k) => partner.get(k) ?? []);
  const rest = Array.from({ length: columns }, (_, l) => l).filter((l) => !taken.has(l));
  return { order: [...paired, ...rest], agreed, total };
}

/** "0-2" of an address: two different runs of so many; the first two if it is none. */
export function parsedPair(text: string | null, runs: number): [number, number] {
  const found = /^(\d)-(\d)$/.exec(text ?? "");
  const [a, b] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? 1)];
  return a !== b && a < runs && b < runs ? [a, b] : [0, 1];
}
