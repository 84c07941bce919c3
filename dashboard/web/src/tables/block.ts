/** A block: the cells of one row cluster and one column cluster. */

/** Posterior mean, with the ends of the 95 % interval. */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** What a block of real numbers, of counts, or of categories says of itself. */
export type Figure = "mean" | "sd" | "total" | "rate" | "share";

export type Of<T> = Readonly<Partial<Record<Figure, T>>>;

/** How normal the cells of a block look; NaN where there are too few, or all are equal. */
export interface Shape {
  readonly skewness: number;
  readonly kurtosis: number;
  readonly p: number;
}

export interface Block {
  readonly k: number;
  readonly l: number;
  readonly cells: number;
  /** Of the observed cells, of one of a cell's numbers; NaN where none is observed. */
  readonly figures: Of<number>;
  /** Of some figures; undefined without draws. */
  readonly posterior?: Of<Interval>;
  /** Of several categories: how many of the cells are of each, by its number. */
  readonly shares?: readonly (readonly [category: number, share: number])[];
  /** Of real numbers. */
  readonly shape?: Shape;
  /** Of counts: how many times as much as Poisson counts they vary; NaN where there are too few. */
  readonly dispersion?: number;
  /** Whether the cells clearly do not fit the model, where that is known. */
  readonly odd?: boolean;
}

/** A figure as it is shown: its posterior mean, or the mean of the cells where there are no draws. */
export const shownOf = ({ figures, posterior }: Block, figure: Figure): number =>
  posterior?.[figure]?.mean ?? figures[figure] ?? NaN;
