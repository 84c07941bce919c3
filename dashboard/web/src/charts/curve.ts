/** Places of a curve of fit against number of blocks; the number is on a logarithmic axis. */
import { tickTexts } from "./ticks";

export const FRAME = { width: 720, height: 380, left: 84, right: 690, top: 24, bottom: 328 } as const;

export interface Point {
  readonly blocks: number;
  readonly fit: number;
  /** Length of the error bar, either way. */
  readonly margin: number;
}

/** One point in pixels; `low` and `high` are the ends of its error bar. */
export interface Mark {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

export interface Tick {
  readonly at: number;
  readonly text: string;
}

export interface Curve {
  readonly marks: readonly Mark[];
  readonly across: readonly Tick[];
  readonly up: readonly Tick[];
}

export function curveOf(points: readonly Point[]): Curve {
  let low = Math.min(...points.map(({ fit, margin }) => fit - margin));
  let high = Math.max(...points.map(({ fit, margin }) => fit + margin));
  const room = 0.06 * (high - low) || 0.05 * Math.abs(low) || 1;
  [low, high] = [low - room, high + room];
  // A factor of 1.15 beyond the outermost, so that a curve of one number of blocks has a place too.
  const least = Math.min(...points.map(({ blocks }) => blocks)) / 1.15;
  const most = Math.max(...points.map(({ blocks }) => blocks)) * 1.15;
  const toX = (blocks: number): number =>
    FRAME.left + (Math.log(blocks / least) / Math.log(most / least)) * (FRAME.right - FRAME.left);
  const toY = (fit: number): number => FRAME.bottom - ((fit - low) / (high - low)) * (FRAME.bottom - FRAME.top);
  const up = rounds(low, high, 5);
  const texts = tickTexts(up);
  return {
    marks: points.map(({ blocks, fit, margin }) => ({
      x: toX(blocks),
      y: toY(fit),
      low: toY(fit - margin),
      high: toY(fit + margin),
    })),
    across: powers(least, most).map((value) => ({ at: toX(value), text: value.toLocaleString("en") })),
    up: up.map((value, i) => ({ at: toY(value), text: texts[i]! })),
  };
}

/** Round values in a range, about so many of them. */
export function rounds(low: number, high: number, about: number): number[] {
  const raw = (high - low) / about;
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= 0.999 * raw) ?? 10 * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** 1, 2 and 5 times powers of ten in a range; from three decades on, the powers of ten alone. */
function powers(low: number, high: number): number[] {
  const factors = high < 1000 * low ? [1, 2, 5] : [1];
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  return Array.from({ length: last - first + 1 }, (_, i) => factors.map((factor) => factor * 10 ** (first + i)))
    .flat()
    .filter((each) => low <= each && each <= high);
}
