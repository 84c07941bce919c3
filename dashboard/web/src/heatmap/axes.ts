/** What stands along the axes: clusters, and names where a row or column has room for one. */

import { type Span, length, pixelOf } from "./viewport";

/** A cluster of an axis, as much of it as is shown, in pixels. */
export interface Band {
  /** Its label; {@link ASIDE} for what is set aside. */
  readonly cluster: number;
  readonly items: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The clusters that a span shows.
 *
 * @param starts Positions where they begin, and where the last one ends.
 * @param labels Label of each.
 * @param before Items before each, and all of them; as many as positions by default.
 */
export function bands(
  starts: readonly number[],
  labels: readonly number[],
  span: Span,
  pixels: number,
  before: readonly number[] = starts,
): Band[] {
  const found: Band[] = [];
  for (let place = 0; place + 1 < starts.length; place++) {
    const [first, end] = [starts[place]!, starts[place + 1]!];
    if (end <= span.from || first >= span.to || end === first) continue;
    found.push({
      cluster: labels[place] ?? place,
      items: before[place + 1]! - before[place]!,
      from: Math.max(0, pixelOf(span, first, pixels)),
      to: Math.min(pixels, pixelOf(span, end, pixels)),
    });
  }
  return found;
}

/** Bands whose middles are at least so many pixels apart, so that their texts do not touch; the largest come first. */
export function labelled(all: readonly Band[], apart: number): Band[] {
  const kept: Band[] = [];
  const middle = (band: Band): number => (band.from + band.to) / 2;
  for (const band of [...all].sort((a, b) => b.to - b.from - (a.to - a.from))) {
    if (kept.every((other) => Math.abs(middle(other) - middle(band)) >= apart)) kept.push(band);
  }
  return kept.sort((a, b) => a.from - b.from);
}

/** A border between clusters that are narrower than so many pixels would hide cells; from the second on it is bold. */
const LEAST = 6;
const BOLD = 12;

/** Where there are borders, in pixels; a few among many would say more than they mean. */
export function bordersOf(starts: readonly number[], span: Span, pixels: number): { at: number; bold: boolean }[] {
  const wide = (from: number, to: number): number => pixelOf(span, to, pixels) - pixelOf(span, from, pixels);
  const all = starts.slice(1, -1).flatMap((start, i) => {
    const at = Math.round(pixelOf(span, start, pixels));
    const narrower = Math.min(wide(starts[i]!, start), wide(start, starts[i + 2]!));
    return at >= 0 && at <= pixels ? [{ at, narrower }] : [];
  });
  const most = (least: number): boolean => 2 * all.filter(({ narrower }) => narrower >= least).length >= all.length;
  if (!most(LEAST)) return [];
  const bold = most(BOLD);
  return all
    .filter(({ narrower }) => narrower >= LEAST)
    .map(({ at, narrower }) => ({ at, bold: bold && narrower >= BOLD }));
}

type Measure = (text: string) => number;

/** What of a text stays beside an ellipsis, where so many letters of it have room. */
type Way = (letters: readonly string[], room: number) => string;

const MIDDLE: Way = (letters, room) =>
  `${letters.slice(0, Math.ceil(room / 2)).join("")}…${letters.slice(letters.length - Math.floor(room / 2)).join("")}`;
const HEAD: Way = (letters, room) => `${letters.slice(0, room).join("")}…`;
const TAIL: Way = (letters, room) => `…${letters.slice(letters.length - room).join("")}`;

/** A text that is no wider than so many pixels, an ellipsis in place of what is left out; "" if not even that has room. */
export function fitted(text: string, width: number, measure: Measure, way: Way = MIDDLE): string {
  if (measure(text) <= width) return text;
  const letters = [...text];
  let low = 0;
  let high = letters.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(way(letters, middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : way(letters, low);
}

/** Letters that names have in common from the start before they are left out. */
const COMMON = 3;

/**
 * Names that stand beside each other, each no wider than so many pixels.
 *
 * They are cut in the middle, or else in the way that keeps the most of them apart: without what all of them begin
 * with, or by their first or last letters.
 */
export function fittedNames(names: readonly string[], width: number, measure: Measure): readonly string[] {
  if (names.every((name) => measure(name) <= width)) return names;
  const prefix = commonPrefix(names);
  const freed = (name: string): string => (prefix >= COMMON ? `…${[...name].slice(prefix).join("")}` : name);
  const ways = [
    (name: string) => fitted(name, width, measure),
    (name: string) => fitted(freed(name), width, measure, prefix >= COMMON ? HEAD : MIDDLE),
    (name: string) => fitted(name, width, measure, TAIL),
    (name: string) => fitted(name, width, measure, HEAD),
  ];
  let best: readonly string[] = names;
  let most = 0;
  for (const way of ways) {
    const found = names.map(way);
    const apart = new Set(found).size;
    if (apart > most) [best, most] = [found, apart];
  }
  return best;
}

/** How many letters all names begin with; none of a single name, and never all of one. */
function commonPrefix(names: readonly string[]): number {
  const all = [...new Set(names)].map((name) => [...name]);
  if (all.length < 2) return 0;
  const shortest = Math.min(...all.map(({ length }) => length));
  for (let at = 0; at < shortest; at++) {
    if (all.some((letters) => letters[at] !== all[0]![at])) return at;
  }
  return Math.max(0, shortest - 1);
}

/** Round positions of a span, at least so many pixels apart. */
export function positions(span: Span, pixels: number, apart: number): number[] {
  const least = (apart * length(span)) / pixels;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, [1, 2, 5, 10].map((first) => first * power).find((each) => each >= least) ?? 10 * power);
  const found: number[] = [];
  for (let at = Math.ceil(span.from / step) * step; at < span.to; at += step) found.push(at);
  return found;
}
