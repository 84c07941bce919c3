/** Blocks of a report's document. */
import { type Block, type Figure, type Interval, type Of, shownOf } from "../tables/block";
import { type Kind, kindOf } from "../tables/kind";
import type { Level } from "../levels/level";
import type { BlockDocument, BlockMatrices, BlockReadOut, Heading, IntervalMatrices, Matrix, RunFigures } from "./document";

const FIGURES: readonly Figure[] = ["mean", "sd", "total", "rate", "share"];

const at = (matrix: Matrix | undefined, i: number, j: number): number => matrix?.[i]?.[j] ?? NaN;

/** The figures that there are, each made into something else. */
function mapped<T, U>(of: Of<T>, made: (each: T) => U): Of<U> {
  const found = FIGURES.flatMap((figure) => (of[figure] === undefined ? [] : [[figure, made(of[figure])] as const]));
  return Object.fromEntries(found);
}

/** What the blocks of a run say. */
export function kindOfRun({ data, parameters }: RunFigures, { tables, categories = [] }: BlockDocument): Kind {
  const figures = FIGURES.filter((figure) => tables[0]?.[figure]);
  const most = categories.length > 0 ? Math.max(...categories) + 1 : 0;
  return kindOf({ figures, exposure: parameters["exposure"], names: categoriesOf(data), categories: most });
}

/** What the categories of a run are called; none of other cells. */
export function categoriesOf(data: RunFigures["data"]): readonly string[] {
  const found = data["categories"];
  return Array.isArray(found) ? found.map(String) : [];
}

/** The block at places of a table. */
export function blockAt(table: BlockMatrices, { rows, columns }: BlockDocument, i: number, j: number): Block {
  const interval = ({ mean, low, high }: IntervalMatrices): Interval => ({
    mean: at(mean, i, j),
    low: at(low, i, j),
    high: at(high, i, j),
  });
  const { skewness, kurtosis, p, dispersion } = table;
  return {
    k: rows[i]!.label,
    l: columns[j]!.label,
    cells: table.cells[i]?.[j] ?? 0,
    figures: mapped(table, (matrix) => at(matrix, i, j)),
    posterior: table.posterior ? mapped(table.posterior, interval) : undefined,
    dispersion: dispersion && at(dispersion, i, j),
    shape: p && !dispersion ? { skewness: at(skewness, i, j), kurtosis: at(kurtosis, i, j), p: at(p, i, j) } : undefined,
    odd: table.odd?.[i]?.[j] ?? false,
  };
}

/** The block at places of all tables, of which each is of a category. */
export function sharesAt(blocks: BlockDocument, i: number, j: number): Block {
  const { tables, categories = [] } = blocks;
  const each = tables.map((table) => blockAt(table, blocks, i, j));
  const shares = each.map((block, c) => [categories[c] ?? c, shownOf(block, "share")] as const);
  return { ...each[0]!, figures: {}, posterior: undefined, shares };
}

/** The block of two clusters, as much as a picture knows of it. */
export function readOutOf(blocks: BlockReadOut, categories: readonly number[], k: number, l: number): Block {
  const figures = mapped<Matrix, number>(blocks, (matrix) => at(matrix, k, l));
  const posterior =
    blocks.intervals &&
    Object.fromEntries(
      Object.entries(blocks.intervals).map(([figure, [low, high]]) => [
        figure,
        { mean: figures[figure as Figure] ?? NaN, low: at(low, k, l), high: at(high, k, l) },
      ]),
    );
  const shares = blocks.shares?.map((matrix, c) => [categories[c] ?? c, at(matrix, k, l)] as const);
  return { k, l, cells: NaN, figures, posterior: posterior ?? undefined, shares };
}

/** Clusters of a table, at most. */
const MOST = { rows: 60, columns: 40 } as const;

/** The same with the clusters of a level at the heads. */
export function headed(found: BlockDocument, { rows, columns }: Level): BlockDocument {
  const heads = (sizes: readonly number[], most: number): readonly Heading[] =>
    sizes.slice(0, most).map((size, label) => ({ label, size }));
  return {
    ...found,
    rows: heads(rows.cut.sizes, MOST.rows),
    columns: heads(columns.cut.sizes, MOST.columns),
    row_clusters: rows.cut.sizes.length,
    column_clusters: columns.cut.sizes.length,
  };
}

/** Which of all clusters and components a report has; "" for all of them. */
export function leftOut(found: BlockDocument): string {
  const parts = [
    found.row_clusters > found.rows.length &&
      `the ${found.rows.length} largest of ${found.row_clusters.toLocaleString("en")} row clusters`,
    found.column_clusters > found.columns.length &&
      `the ${found.columns.length} largest of ${found.column_clusters.toLocaleString("en")} column clusters`,
    found.components > found.tables.length && found.categories
      ? `the ${found.tables.length} most common of ${found.components.toLocaleString("en")} categories`
      : found.components > found.tables.length &&
        `the first ${found.tables.length} of ${found.components.toLocaleString("en")} components`,
  ].filter(Boolean);
  return parts.length > 0 ? `Shown are ${parts.join(" and ")}; blocks.csv holds all.` : "";
}
