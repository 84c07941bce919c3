/** The blocks of a level, made from the blocks of the run. */
import { bytes } from "../heatmap/bytes";
import { floats } from "../heatmap/picture";
import type { Block, Figure, Of } from "../tables/block";
import type { Level, LevelBlocks, Levels, Numbers } from "./level";

type Values = Float32Array | Float64Array;

export function numbersOf({ floats: single, doubles }: Numbers): Values {
  if (single) return floats(single);
  const raw = bytes(doubles ?? "");
  const view = new DataView(raw.buffer);
  return Float64Array.from({ length: raw.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

/** Sums over the fine blocks of each block, row cluster by row cluster. */
type Sum = (value: (block: number) => number) => Float64Array;

function summing({ rows, columns }: Level): Sum {
  const [of, across] = [rows.cut.labels, columns.cut.labels];
  const wide = columns.cut.sizes.length;
  return (value) => {
    const found = new Float64Array(rows.cut.sizes.length * wide);
    of.forEach((k, i) => {
      if (k < 0) return;
      across.forEach((l, j) => {
        if (l < 0) return;
        const block = i * across.length + j;
        const each = value(block);
        // Blocks without an observed cell have no figures.
        if (!Number.isNaN(each)) found[k * wide + l]! += each;
      });
    });
    return found;
  };
}

/** The blocks of a level, by row cluster, then column cluster: a grid for each table. */
export function blocksAt({ rows, columns, blocks }: Levels, level: Level): readonly Block[][][] | null {
  if (!blocks) return null;
  const sum = summing(level);
  const fine = fineCells({ rows, columns, blocks });
  const cells = sum((block) => fine[block]!);
  const weights = blocks.weights ? numbersOf(blocks.weights) : fine;
  const weighed = blocks.weights ? sum((block) => weights[block]!) : cells;
  const found = blocks.tables.map((table) =>
    figuresOf(table, sum, { fine: weights, all: weighed }, { fine, all: cells }),
  );
  const wide = level.columns.cut.sizes.length;
  return found.map((figures) =>
    level.rows.cut.sizes.map((_, k) =>
      Array.from({ length: wide }, (__, l) => ({
        k,
        l,
        cells: cells[k * wide + l]!,
        figures: Object.fromEntries(Object.entries(figures).map(([name, of]) => [name, of[k * wide + l]!])) as Of<number>,
      })),
    ),
  );
}

/** The same with the shares of categories in one grid; undefined where the blocks are too many. */
export function gridsOf(levels: Levels, level: Level): readonly Block[][][] | undefined {
  const grids = blocksAt(levels, level);
  const categories = levels.blocks?.categories;
  return grids === null ? undefined : categories ? [sharesOf(grids, categories)] : grids;
}

function sharesOf(grids: readonly Block[][][], categories: readonly number[]): Block[][] {
  return grids[0]!.map((line, k) =>
    line.map((block, l) => ({
      ...block,
      figures: {},
      shares: grids.map((grid, c) => [categories[c] ?? c, grid[k]![l]!.figures.share ?? NaN] as const),
    })),
  );
}

/** The figures that there are. */
export const namesOf = ({ tables }: LevelBlocks): readonly Figure[] => Object.keys(tables[0] ?? {}) as Figure[];

function fineCells({ rows, columns, blocks }: Pick<Levels, "rows" | "columns"> & { blocks: LevelBlocks }): Values {
  if (blocks.cells) return numbersOf(blocks.cells);
  return Float64Array.from(rows.sizes.flatMap((height) => columns.sizes.map((width) => height * width)));
}

interface Summed {
  /** Of the fine blocks. */
  readonly fine: Values;
  readonly all: Values;
}

/** Totals add up, means are averaged, and a standard deviation is taken of all cells around their common mean. */
function figuresOf(
  table: Readonly<Record<string, Numbers>>,
  sum: Sum,
  weights: Summed,
  cells: Summed,
): Readonly<Record<string, Float64Array>> {
  const fine = Object.fromEntries(Object.entries(table).map(([name, values]) => [name, numbersOf(values)]));
  const averaged = (values: (block: number) => number, over: Summed): Float64Array =>
    sum((block) => over.fine[block]! * values(block)).map((total, block) => total / over.all[block]!);
  const found: Record<string, Float64Array> = {};
  for (const [name, values] of Object.entries(fine)) {
    if (name === "total") found[name] = sum((block) => values[block]!);
    else if (name !== "sd") found[name] = averaged((block) => values[block]!, weights);
  }
  const [mean, sd] = [fine["mean"], fine["sd"]];
  if (mean && sd) {
    // From a value near all of them, so that no digits are lost.
    const origin = mean.find((value) => !Number.isNaN(value)) ?? 0;
    const shift = averaged((block) => mean[block]! - origin, cells);
    const squares = averaged((block) => sd[block]! ** 2 + (mean[block]! - origin) ** 2, cells);
    found["mean"] = shift.map((value) => origin + value);
    found["sd"] = squares.map((value, block) => Math.sqrt(Math.max(0, value - shift[block]! ** 2)));
  }
  return found;
}
