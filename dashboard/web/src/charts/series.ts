/** Several lines on one axis of iterations. */

export interface Line {
  readonly label: string;
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
}

/** All x of all lines, and each line's y at them; null where it has none, or none that is a number. */
export function aligned(lines: readonly Line[]): { x: number[]; y: (number | null)[][] } {
  const x = [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
  const at = new Map(x.map((value, index) => [value, index]));
  const y = lines.map((line) => {
    const values = new Array<number | null>(x.length).fill(null);
    line.x.forEach((value, i) => {
      const found = line.y[i];
      if (found !== null && found !== undefined && Number.isFinite(found)) values[at.get(value)!] = found;
    });
    return values;
  });
  return { x, y };
}

/** The last number of a line, with where it is. */
export function lastOf(line: Line): { x: number; y: number } | undefined {
  for (let i = line.x.length - 1; i >= 0; i--) {
    const y = line.y[i];
    if (y !== null && y !== undefined && Number.isFinite(y)) return { x: line.x[i]!, y };
  }
  return undefined;
}

/** The range to draw: of the numbers that are shown, with some room; whole numbers get at least one around them. */
export function range(low: number | null, high: number | null, integers: boolean): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const room = high > low ? 0.06 * (high - low) : integers ? 1 : Math.max(1e-9, 0.05 * Math.abs(high));
  return integers ? [Math.max(0, Math.floor(low - room)), Math.ceil(high + room)] : [low - room, high + room];
}
