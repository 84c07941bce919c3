/** Known classes of rows, or of columns, in the order in which they are shown by cluster. */
import { bytes } from "../heatmap/bytes";
import { type Scale, ofCategories } from "../heatmap/scale";
import type { Roster } from "../members/roster";

export interface Classes {
  /** The largest first. */
  readonly names: readonly string[];
  /** The number of each place's class; {@link UNKNOWN} where it is not known. */
  readonly of: Uint8Array;
}

export const UNKNOWN = 255;

/** Classes that are told apart; with more there is no colour for each. */
const MOST = 254;

/** As a report has them. */
export const classesOf = ({ names, of }: { names: readonly string[]; of: string }): Classes => ({ names, of: bytes(of) });

/** From the word of each place, "" where it is not known; undefined where none is known, or there are too many. */
export function classesFrom(words: readonly string[]): Classes | undefined {
  const counts = new Map<string, number>();
  for (const word of words) if (word !== "") counts.set(word, (counts.get(word) ?? 0) + 1);
  if (counts.size === 0 || counts.size > MOST) return undefined;
  const names = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)! || (a < b ? -1 : 1));
  const numbers = new Map(names.map((name, i) => [name, i]));
  return { names, of: Uint8Array.from(words, (word) => numbers.get(word) ?? UNKNOWN) };
}

/** The colours of classes. */
export const coloursOf = ({ names }: Classes): Scale => ofCategories(names);

/** Members of each class in each cluster. */
export interface Crossed {
  readonly cluster: number;
  readonly size: number;
  /** By the number of the class. */
  readonly counts: readonly number[];
  readonly unknown: number;
}

/** Clusters in the order of their labels, what is set aside last. */
export function crossed({ names, of }: Classes, { starts, labels }: Pick<Roster, "starts" | "labels">): readonly Crossed[] {
  const found = new Map<number, { counts: number[]; unknown: number; size: number }>();
  labels.forEach((label, i) => {
    const known = found.get(label) ?? { counts: names.map(() => 0), unknown: 0, size: 0 };
    found.set(label, known);
    for (const each of of.subarray(starts[i]!, starts[i + 1]!)) {
      if (each === UNKNOWN) known.unknown += 1;
      else known.counts[each]! += 1;
      known.size += 1;
    }
  });
  const last = (label: number): number => (label < 0 ? Infinity : label);
  return [...found].sort(([a], [b]) => last(a) - last(b)).map(([cluster, known]) => ({ cluster, ...known }));
}

/** The class that most of some places have; {@link UNKNOWN} where none is known. */
export function mostCommon({ names, of }: Classes, from: number, to: number): number {
  if (to - from === 1) return of[from] ?? UNKNOWN;
  const counts = new Uint32Array(names.length);
  for (const each of of.subarray(from, to)) if (each !== UNKNOWN) counts[each]! += 1;
  const most = counts.reduce((best, count, i) => (count > counts[best]! ? i : best), 0);
  return counts[most] === 0 ? UNKNOWN : most;
}
