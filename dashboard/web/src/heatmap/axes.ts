/** What stands along the axes: clusters, and names where a row or column has room for one. */

import { type Span, length, pixelOf } from "./viewport";

/** A cluster of an axis, as much of it as is shown, in pixels. */
export interface Band {
  readonly cluster: number;
  readonly items: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The clusters that a span shows.
 *
 * @param starts Positions where they begin, and where the last one ends.
 * @param before Items before each, and all of them; as many as positions by default.
 */
export function bands(
  starts: readonly number[],
  span: Span,
  pixels: number,
  before: readonly number[] = starts,
): Band[] {
  const found: Band[] = [];
  for (let cluster = 0; cluster + 1 < starts.length; cluster++) {
    const [first, end] = [starts[cluster]!, starts[cluster + 1]!];
    if (end <= span.from || first >= span.to || end === first) continue;
    found.push({
      cluster,
      items: before[cluster + 1]! - before[cluster]!,
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
  return kept.sort((a, b) => a.cluster - b.cluster);
}

/** A text that is no wider than so many pixels, the rest of it an ellipsis; "" if not even that has room. */
export function fitted(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  const letters = [...text];
  let low = 0;
  let high = letters.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(`${letters.slice(0, middle).join("")}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${letters.slice(0, low).join("")}…`;
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
