/** Texts of charts. */
import * as format from "../ui/format";

/** Axes have lines at such distances, where values are counts. */
export const WHOLE_STEPS = [1, 2, 5]
  .flatMap((first) => Array.from({ length: 8 }, (_, i) => first * 10 ** i))
  .sort((a, b) => a - b);

/** What stands beside the lines of an axis: all with as many digits as their distance needs. */
export function tickTexts(values: readonly number[]): string[] {
  const step = values.length > 1 ? Math.abs(values[1]! - values[0]!) : Math.abs(values[0] ?? 0);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest >= 1e9 || (largest > 0 && largest < 1e-4)) {
    return values.map((value) => (value === 0 ? "0" : value.toExponential(1).replaceAll("-", "−")));
  }
  const digits = step > 0 ? digitsOf(step) : 0;
  const written = new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return values.map((value) => written.format(value).replace("-", "−"));
}

/** Digits behind the point that a step needs: 2 for 0.25. */
function digitsOf(step: number): number {
  const first = Math.min(8, Math.max(0, -Math.floor(Math.log10(step * 1.0001))));
  const shifted = step * 10 ** first;
  return Math.abs(shifted - Math.round(shifted)) < 1e-3 ? first : first + 1;
}

/** What something took; iterations and shards may take a few milliseconds only. */
export function taken(seconds: number | null | undefined): string {
  if (typeof seconds !== "number" || !Number.isFinite(seconds)) return format.NONE;
  if (seconds >= 0.9995) return format.duration(seconds);
  const milliseconds = 1000 * seconds;
  return `${milliseconds < 9.95 ? Number(milliseconds.toPrecision(2)) : Math.round(milliseconds)} ms`;
}
