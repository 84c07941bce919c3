/** A block: the cells of one row cluster and one column cluster. */

import * as format from "../ui/format";

/** Posterior mean, with the ends of the 95 % interval. */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface Block {
  readonly k: number;
  readonly l: number;
  readonly cells: number;
  /** NaN where no cell is observed; of one of a cell's numbers. */
  readonly mean: number;
  readonly sd: number;
  /** NaN where there are too few cells, or all are equal. */
  readonly skewness: number;
  readonly kurtosis: number;
  readonly p: number;
  /** Of the mean and of the standard deviation; undefined without draws. */
  readonly posterior?: { readonly mean: Interval; readonly sd: Interval };
  /** Whether the cells are plainly not normal, where that is known. */
  readonly odd?: boolean;
}

/** The number that a block is shown by. */
export const centreOf = ({ mean, posterior }: Block): number => posterior?.mean.mean ?? mean;

/** How means and standard deviations are written, with as many digits in all blocks of a table. */
export interface Formats {
  readonly mean: (value: number) => string;
  readonly sd: (value: number) => string;
}

export function formatsOf(blocks: readonly Block[]): Formats {
  return { mean: format.column(blocks.map(({ mean }) => mean)), sd: format.column(blocks.map(({ sd }) => sd)) };
}

/** Mean and standard deviation below each other, with intervals where there are any. */
export function linesOf({ mean, sd, posterior }: Block, formats: Formats): readonly [string, ...string[]] {
  if (!posterior) return [formats.mean(mean), `± ${formats.sd(sd)}`];
  const between = ({ low, high }: Interval, text: (value: number) => string): string => `${text(low)} to ${text(high)}`;
  return [
    formats.mean(posterior.mean.mean),
    between(posterior.mean, formats.mean),
    `± ${formats.sd(posterior.sd.mean)}`,
    between(posterior.sd, formats.sd),
  ];
}

/** What else is known of a block: its cells, their own mean beside the posterior mean, and how normal they look. */
export function detailOf({ cells, mean, sd, skewness, kurtosis, p, posterior }: Block, formats: Formats): string {
  const own = posterior ? `, ${formats.mean(mean)} ± ${formats.sd(sd)}` : "";
  const shape = Number.isFinite(skewness)
    ? `; skewness ${format.fixed(skewness, 2)}, excess kurtosis ${format.fixed(kurtosis, 2)}, p ${format.number(p, 2)}`
    : p === 0
      ? "; all cells equal"
      : "";
  return `${format.plural(cells, "observed cell")}${own}${shape}`;
}
