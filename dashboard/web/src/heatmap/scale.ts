/** How colours are spread over values. */

import * as format from "../ui/format";
import type { Kind } from "./colours";

/**
 * In proportion to the values; by their rank, so that a few far away do not leave one colour for all others; or away
 * from their median, in proportion on either side.
 */
export type Spread = "value" | "rank" | "diverging";

export const SPREADS: readonly Spread[] = ["value", "rank", "diverging"];

/** A spread as an address has it; null for any other text. */
export const spreadOf = (text: string | null): Spread | null => SPREADS.find((each) => each === text) ?? null;

export interface Scale {
  /** Of the values, at even distances; none where nothing is observed. */
  readonly quantiles: readonly number[];
  readonly kind: Kind;
  /** Ends of the colours by value, around zero if they diverge from it; what lies beyond has the colour of the end. */
  readonly low: number;
  readonly high: number;
  readonly spread: Spread;
  /** Where colours diverge from, where that was chosen. */
  readonly middle?: number;
  /** What the values are; undefined: numbers. Multiples diverge from 1, and are spread by their logarithm. */
  readonly unit?: "count" | "share" | "multiple" | "category";
  /** Of categories, which values count from 0. */
  readonly names?: readonly string[];
}

/** Share of the values beyond either end of the colours by value. */
const CLIP = 0.01;

/** Colours are by rank where the middle half of the values spans less than this share of those by value. */
const HEAVY_TAIL = 0.12;

/** Colours diverge from zero where the shorter side reaches at least this far in proportion to the longer. */
const CROSSING = 0.2;

/** Of shares, 0 to 1. */
export const SHARES: Scale = {
  quantiles: [0, 0.25, 0.5, 0.75, 1],
  kind: "sequential",
  low: 0,
  high: 1,
  spread: "value",
};

/** Of shares of ones, of which these are the quantiles; there may be none. */
export const ofShares = (quantiles: readonly number[]): Scale => ({ ...SHARES, quantiles, unit: "share" });

/** Of counts, of which these are the quantiles; there may be none. By rank, 0 has the ground's colour however many. */
export function ofCounts(quantiles: readonly number[]): Scale {
  const counted = quantiles.filter((each) => each > 0);
  const zero = counted.length < quantiles.length ? [0] : [];
  return { ...fitted(quantiles), quantiles: [...zero, ...counted], unit: "count" };
}

/** Ends of the colours of multiples: squares, so that what lies half-way is round. */
const ENDS = [4, 9, 16, 36, 100] as const;

/** Of multiples of what is expected, of which these are the quantiles; as far up as down. */
export function ofMultiples(quantiles: readonly number[]): Scale {
  const all = quantiles.length > 0 ? quantiles : [1];
  const most = Math.max(quantileAt(all, 1 - CLIP), 1 / Math.max(quantileAt(all, CLIP), 1 / ENDS.at(-1)!));
  const high = ENDS.find((end) => end >= most) ?? ENDS.at(-1)!;
  return { quantiles, kind: "diverging", low: 1 / high, high, spread: "value", unit: "multiple" };
}

/** A colour for each category. */
export const ofCategories = (names: readonly string[]): Scale => ({
  quantiles: [],
  kind: `categories-${names.length}`,
  low: 0,
  high: names.length,
  spread: "value",
  unit: "category",
  names,
});

/** A value in words: "37 %", "2.5 ×", a category by its name, or the number. */
export function written({ unit, names }: Scale, value: number, digits: number): string {
  if (unit === "share") return format.percent(value);
  if (unit === "category") return names?.[value] ?? format.NONE;
  const text = format.number(value, unit === "multiple" ? Math.min(digits, 2) : digits);
  return unit === "multiple" && Number.isFinite(value) ? `${text} ×` : text;
}

/** The scale for values of which these are the quantiles; there may be none. */
export function fitted(quantiles: readonly number[]): Scale {
  const all = quantiles.length > 0 ? quantiles : [0];
  let [low, high] = [quantileAt(all, CLIP), quantileAt(all, 1 - CLIP)];
  // Values that are all the same but for a few would lose those.
  if (low === high) [low, high] = [all[0]!, all.at(-1)!];
  const diverging = low < 0 && high > 0 && Math.min(-low, high) >= CROSSING * Math.max(-low, high);
  if (diverging) high = Math.max(-low, high);
  if (diverging) low = -high;
  const middle = quantileAt(all, 0.75) - quantileAt(all, 0.25);
  const spread = high > low && middle < HEAVY_TAIL * (high - low) ? "rank" : "value";
  if (!(low < high)) {
    const margin = Math.abs(low) / 2 || 1;
    [low, high] = [low - margin, high + margin];
  }
  return { quantiles, kind: diverging ? "diverging" : "sequential", low, high, spread };
}

/**
 * The same scale with its colours spread in another way.
 *
 * Colours that diverge by themselves, from zero or from what is expected, stay as they are, and so do categories.
 */
export function spreadAs(scale: Scale, spread: Spread | null): Scale {
  if (spread === null || spread === scale.spread || scale.unit === "multiple" || scale.unit === "category") return scale;
  if (spread !== "diverging") return { ...scale, spread };
  if (scale.kind === "diverging" || scale.quantiles.length === 0) return { ...scale, spread: "value" };
  const median = quantileAt(scale.quantiles, 0.5);
  const margin = 1e-9 * (scale.high - scale.low);
  const middle = Math.min(scale.high - margin, Math.max(scale.low + margin, median));
  return { ...scale, kind: "diverging", spread, middle };
}

/** Ways to spread the colours of a scale. */
export const spreadsOf = ({ kind, spread }: Scale): readonly Spread[] =>
  kind === "diverging" && spread !== "diverging" ? SPREADS.filter((each) => each !== "diverging") : SPREADS;

/** Between two quantiles in proportion. */
function quantileAt(quantiles: readonly number[], share: number): number {
  const at = share * (quantiles.length - 1);
  const [below, above] = [quantiles[Math.floor(at)]!, quantiles[Math.ceil(at)]!];
  return below === above ? below : below + (at - Math.floor(at)) * (above - below);
}

/** Where among the colours a value is, 0 to 1. */
export function shareOf(scale: Scale, value: number): number {
  if (scale.unit === "category") return (value + 0.5) / scale.high;
  if (scale.unit === "multiple") {
    return Math.min(1, Math.max(0, 0.5 + Math.log(value) / Math.log(scale.high) / 2));
  }
  if (scale.spread === "rank") return rank(scale.quantiles, value);
  const { low, middle, high } = scale;
  const share =
    middle === undefined
      ? (value - low) / (high - low)
      : value < middle
        ? (value - low) / (middle - low) / 2
        : 0.5 + (value - middle) / (high - middle) / 2;
  return Math.min(1, Math.max(0, share));
}

/**
 * Share of all values below one, 0 to 1, by quantiles at even distances; between two of them in proportion.
 *
 * Of equal quantiles a value that many cells have gets the middle.
 */
export function rank(quantiles: readonly number[], value: number): number {
  const last = quantiles.length - 1;
  if (last < 1) return 0.5;
  if (value < quantiles[0]!) return 0;
  if (value > quantiles[last]!) return 1;
  const below = bisect(quantiles, (each) => each >= value);
  const above = bisect(quantiles, (each) => each > value) - 1;
  // The value equals the quantiles from `below` to `above`, or lies between two.
  if (above >= below) return (below + above) / 2 / last;
  const [low, high] = [quantiles[above]!, quantiles[below]!];
  return (above + (value - low) / (high - low)) / last;
}

/** The first index for which it holds; it holds for all after. */
function bisect(sorted: readonly number[], holds: (value: number) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(sorted[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A value to write at a legend; it may stand for all beyond it. */
export interface Tick {
  readonly at: number;
  readonly value: number;
  readonly beyond: boolean;
}

/** Share of the range of the colours below which a value is zero, but for the rounding of single precision. */
const ROUNDING = 1e-6;

/** Values to write at a legend, at so many even distances; none where nothing is observed. */
export function legendTicks({ quantiles, low, middle, high, spread, unit }: Scale, count: number): Tick[] {
  const last = quantiles.length - 1;
  if (last < 1) return [];
  const exact = (value: number): number => (Math.abs(value) < ROUNDING * (high - low) ? 0 : value);
  return Array.from({ length: count }, (_, i) => {
    const at = i / (count - 1);
    if (spread === "rank") return { at, value: exact(quantileAt(quantiles, at)), beyond: false };
    const beyond = (at === 0 && quantiles[0]! < low) || (at === 1 && quantiles[last]! > high);
    if (unit === "multiple") return { at, value: high ** (2 * at - 1), beyond };
    const value =
      middle === undefined
        ? low + at * (high - low)
        : at < 0.5
          ? low + 2 * at * (middle - low)
          : middle + (2 * at - 1) * (high - middle);
    return { at, value: exact(value), beyond };
  });
}

/** The ticks as text, and whether every other one must go, since long numbers would touch. */
export function legendTexts(scale: Scale, ticks: readonly Tick[]): { texts: readonly string[]; crowded: boolean } {
  const texts = ticks.map(({ at, value, beyond }) => {
    const sign = !beyond ? "" : at === 0 ? "≤ " : "≥ ";
    return sign + written(scale, value, 3);
  });
  return { texts, crowded: texts.some((text) => text.length > 9) };
}

/** Quantiles at so many even distances, of what is a number; none if nothing is. */
export function quantiles(values: Float32Array | Float64Array, steps: number): number[] {
  const sorted = Float64Array.from(values).filter((value) => Number.isFinite(value)).sort();
  if (sorted.length === 0) return [];
  return Array.from({ length: steps + 1 }, (_, i) => {
    const at = (i / steps) * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
    return low + (at - Math.floor(at)) * (high - low);
  });
}
