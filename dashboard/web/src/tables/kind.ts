/** What blocks say of themselves, by the kind of their cells. */
import { type Scale, fitted, ofCategories, ofMultiples, ofShares } from "../heatmap/scale";
import * as format from "../ui/format";
import { type Block, type Figure, type Interval, shownOf } from "./block";

/** Writes a figure, with as many digits in all blocks of a table. */
export type Write = (figure: Figure, value: number) => string;

export interface Kind {
  /** What stands above the blocks. */
  readonly caption: string;
  /** What the caption leaves out; "" for nothing. */
  readonly note: string;
  /** What a block is coloured by; NaN where it has no observed cell. */
  readonly centre: (block: Block) => number;
  /** The colours of the blocks of a table. */
  readonly scale: (blocks: readonly Block[]) => Scale;
  readonly writes: (blocks: readonly Block[]) => Write;
  /** What a block says, line by line: the first one is the main one. */
  readonly lines: (block: Block, write: Write) => readonly [string, ...string[]];
  /** What else is known of its cells. */
  readonly detail: (block: Block, write: Write) => string;
  /** What a block is that does not fit the model. */
  readonly odd: string;
  /** What a block says by itself, in one line. */
  readonly told: (block: Block) => string;
}

/** What tells kinds apart: which figures blocks have, and what counts are compared with. */
export interface Said {
  readonly figures: readonly string[];
  readonly exposure: unknown;
  /** What the categories are called, where that is known. */
  readonly names: readonly string[];
  /** Categories whose shares are told; fewer than 2 where a single share says all. */
  readonly categories: number;
}

export function kindOf({ figures, exposure, names, categories }: Said): Kind {
  if (figures.includes("rate")) return exposure === "none" ? COUNTS : exposure === "given" ? RATES : MULTIPLES;
  if (!figures.includes("share")) return NUMBERS;
  if (categories > 1) return mostCommon(namesOf(names, categories));
  return shareOf(names.length === 2 ? `“${names[1]}”` : "ones");
}

/** Names of so many categories. */
export const namesOf = (names: readonly string[], categories: number): readonly string[] =>
  Array.from({ length: Math.max(categories, names.length) }, (_, category) => names[category] ?? `no. ${category + 1}`);

const between = ({ low, high }: Interval, write: (value: number) => string): string => `${write(low)} to ${write(high)}`;

/** A figure, and its interval if there is one. */
function interval(block: Block, figure: Figure, write: (value: number) => string): [string, ...string[]] {
  const known = block.posterior?.[figure];
  return [write(shownOf(block, figure)), ...(known ? [between(known, write)] : [])];
}

/** "; with 95 %: 2 to 3", or nothing without draws. */
function within({ posterior }: Block, figure: Figure, write: (value: number) => string): string {
  const known = posterior?.[figure];
  return known ? `; with 95 %: ${between(known, write)}` : "";
}

const sorted = (values: readonly number[]): number[] =>
  values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);

const observed = ({ cells }: Block): string => format.plural(cells, "observed cell");

/** One number for all figures. */
const alike = (write: (value: number) => string) => (): Write => (_, value) => write(value);

/** Real numbers. */
const NUMBERS: Kind = {
  caption: "Mean ± standard deviation",
  note: "",
  centre: (block) => shownOf(block, "mean"),
  scale: (blocks) => fitted(sorted(blocks.map(NUMBERS.centre))),
  writes: (blocks) => {
    const [mean, sd] = (["mean", "sd"] as const).map((figure) =>
      format.column(blocks.map(({ figures }) => figures[figure] ?? NaN)),
    );
    return (figure, value) => (figure === "sd" ? sd! : mean!)(value);
  },
  lines: (block, write) => {
    const [mean, ...ofMean] = interval(block, "mean", (value) => write("mean", value));
    const [sd, ...ofSd] = interval(block, "sd", (value) => write("sd", value));
    return [mean, ...ofMean, `± ${sd}`, ...ofSd];
  },
  detail: (block, write) => {
    const { figures, posterior, shape } = block;
    const own = posterior ? `, ${write("mean", figures.mean ?? NaN)} ± ${write("sd", figures.sd ?? NaN)}` : "";
    if (!shape) return `${observed(block)}${own}`;
    const { skewness, kurtosis, p } = shape;
    const looks = Number.isFinite(skewness)
      ? `; skewness ${format.fixed(skewness, 2)}, excess kurtosis ${format.fixed(kurtosis, 2)}, p ${format.number(p, 2)}`
      : p === 0
        ? "; all cells equal"
        : "";
    return `${observed(block)}${own}${looks}`;
  },
  odd: "clearly not normal",
  told: (block) => {
    const [mean, sd] = (["mean", "sd"] as const).map((figure) => format.number(shownOf(block, figure)));
    const { posterior = {} } = block;
    const ends = (["mean", "sd"] as const).flatMap((figure) => {
      const known = posterior[figure];
      return known ? [`${figure} ${between(known, format.number)}`] : [];
    });
    return `mean ± sd ${mean} ± ${sd}${ends.length > 0 ? `; with 95 %: ${ends.join(", ")}` : ""}`;
  },
};

/** How much counts vary, where that is known. */
const varied = ({ dispersion = NaN }: Block): string =>
  Number.isFinite(dispersion) ? `; they vary ${format.number(dispersion, 2)} times as much as Poisson counts` : "";

/** Counts beside what the totals of rows and columns let expect. */
const MULTIPLES: Kind = {
  caption: "How many times the expected count",
  note: "1 × is what the totals of rows and columns let expect",
  centre: (block) => shownOf(block, "rate"),
  scale: (blocks) => ofMultiples(sorted(blocks.map(MULTIPLES.centre))),
  writes: alike((value) => format.number(value, 3)),
  lines: (block, write) => {
    const [times, ...rest] = interval(block, "rate", (value) => write("rate", value));
    return [`${times} ×`, ...rest];
  },
  detail: (block) => {
    const { total = NaN, rate = NaN } = block.figures;
    const expected = rate > 0 ? `, ${format.number(total / rate, 3)} expected` : "";
    return `${format.plural(block.cells, "cell")}: ${format.count(total)} counted${expected}${varied(block)}`;
  },
  odd: "clearly not Poisson",
  told: (block) =>
    `${format.number(shownOf(block, "rate"), 3)} times the expected count${within(block, "rate", (value) => format.number(value, 3))}`,
};

/** Counts by themselves. */
const COUNTS: Kind = {
  caption: "Mean count",
  note: "",
  centre: (block) => shownOf(block, "rate"),
  scale: (blocks) => fitted(sorted(blocks.map(COUNTS.centre))),
  writes: alike((value) => format.number(value, 3)),
  lines: (block, write) => interval(block, "rate", (value) => write("rate", value)),
  detail: (block) => `${format.plural(block.cells, "cell")}: ${format.count(block.figures.total)} counted${varied(block)}`,
  odd: "clearly not Poisson",
  told: (block) =>
    `mean count ${format.number(shownOf(block, "rate"), 3)}${within(block, "rate", (value) => format.number(value, 3))}`,
};

/** Counts beside the factors that were given. */
const RATES: Kind = {
  ...COUNTS,
  caption: "Counts per unit of exposure",
  note: "the exposure of a cell is the factor of its row times the factor of its column",
  told: (block) =>
    `${format.number(shownOf(block, "rate"), 3)} per unit of exposure${within(block, "rate", (value) => format.number(value, 3))}`,
};

/** Cells of one kind out of two. */
const shareOf = (ones: string): Kind => ({
  caption: `Share of ${ones}`,
  note: "",
  centre: (block) => shownOf(block, "share"),
  scale: (blocks) => ofShares(sorted(blocks.map((block) => shownOf(block, "share")))),
  writes: alike(format.percent),
  lines: (block, write) => interval(block, "share", (value) => write("share", value)),
  detail: (block, write) => {
    const own = block.posterior ? `, of them ${write("share", block.figures.share ?? NaN)} ${ones}` : "";
    return `${observed(block)}${own}`;
  },
  odd: "",
  told: (block) => `${format.percent(shownOf(block, "share"))} ${ones}${within(block, "share", format.percent)}`,
});

/** Categories of a block that are told. */
const MOST = 3;

/** Categories with less than this share are not told, but for the first. */
const LEAST = 0.01;

/** Categories of a block, the most common one first. */
export const ranked = ({ shares = [] }: Block): readonly (readonly [category: number, share: number])[] =>
  shares.filter(([, share]) => Number.isFinite(share)).sort(([, a], [, b]) => b - a);

const mostCommon = (names: readonly string[]): Kind => ({
  caption: "Most common categories",
  note: "coloured by the first one",
  centre: (block) => ranked(block)[0]?.[0] ?? NaN,
  scale: () => ofCategories(names),
  writes: alike(format.percent),
  lines: (block, write) => {
    const [first = "", ...rest] = ranked(block)
      .filter(([, share], i) => i === 0 || (i < MOST && share >= LEAST))
      .map(([category, share]) => `${names[category]}: ${write("share", share)}`);
    return [first, ...rest];
  },
  detail: observed,
  odd: "",
  told: (block) =>
    ranked(block)
      .slice(0, MOST)
      .map(([category, share]) => `${names[category]}: ${format.percent(share)}`)
      .join(", "),
});
