/** The branches of a level and how they merge, to be drawn beside them. */
import type { Cut, Tree } from "./tree";

/** An end of a link: where along the axis, and how high. */
export interface End {
  readonly at: number;
  readonly height: number;
}

/** Two branches that merge, at a height from 0, where the branches begin, to 1, the last merge. */
export interface Link {
  readonly ends: readonly [End, End];
  readonly height: number;
}

export type Links = readonly Link[];

/** How high the lowest merge is. */
const LOWEST = 0.15;

/**
 * The merges above the branches of a cut, each in the middle of its two ends.
 *
 * Heights are on a logarithmic scale: a last merge may cost a thousand times what the first one costs.
 *
 * @param starts Positions where the branches begin as they are shown, and where the last one ends.
 * @param shown Their labels; what is set aside has no end.
 */
export function linksOf(tree: Tree, { nodes }: Cut, starts: readonly number[], shown: readonly number[]): Links {
  const k = tree.sizes.length;
  const ends = new Map<number, End>();
  shown.forEach((label, place) => {
    const node = nodes[label];
    if (node !== undefined) ends.set(node, { at: (starts[place]! + starts[place + 1]!) / 2, height: 0 });
  });
  const merges = tree.pairs.flatMap((pair, t) => {
    const found = pair.filter((node) => ends.has(node));
    const node = k + t;
    if (found.length === 1) ends.set(node, ends.get(found[0]!)!);
    if (found.length < 2) return [];
    const [a, b] = [ends.get(pair[0])!, ends.get(pair[1])!];
    ends.set(node, { at: (a.at + b.at) / 2, height: tree.heights[t]! });
    return [{ ends: [a, b] as const, height: tree.heights[t]! }];
  });
  const scaled = scaleOf(merges.map(({ height }) => height));
  const placed = ({ at, height }: End): End => ({ at, height: scaled(height) });
  return merges.map(({ ends: [a, b], height }) => ({ ends: [placed(a), placed(b)], height: scaled(height) }));
}

function scaleOf(heights: readonly number[]): (height: number) => number {
  const positive = heights.filter((height) => height > 0);
  const [low, high] = [Math.min(...positive), Math.max(...positive)];
  return (height) => {
    if (height <= 0) return 0;
    return low < high ? LOWEST + ((1 - LOWEST) * Math.log(height / low)) / Math.log(high / low) : 1;
  };
}
