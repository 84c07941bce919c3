/** Colours are spread over the cells by rank, so that a few far away do not leave one colour for all others. */

/**
 * Share of all cells below a value, 0 to 1, by quantiles at even distances; between two of them in proportion.
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
  // The value is that of the quantiles from `below` to `above`, or lies between two.
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

/** Values to write at a legend: the quantiles at so many even distances. */
export function legendTicks(quantiles: readonly number[], count: number): { at: number; value: number }[] {
  const last = quantiles.length - 1;
  if (last < 1) return [];
  return Array.from({ length: count }, (_, i) => {
    const index = Math.round((i * last) / (count - 1));
    return { at: index / last, value: quantiles[index]! };
  });
}

/** Quantiles at so many even distances, of what is a number; none if nothing is. */
export function quantiles(values: Float32Array, steps: number): number[] {
  const sorted = values.filter((value) => Number.isFinite(value)).sort();
  if (sorted.length === 0) return [];
  return Array.from({ length: steps + 1 }, (_, i) => {
    const at = (i / steps) * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
    return low + (at - Math.floor(at)) * (high - low);
  });
}
