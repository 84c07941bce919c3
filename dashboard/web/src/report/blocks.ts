/** Blocks of a report's document. */
import { type Scale, fitted } from "../heatmap/scale";
import { type Block, type Interval, centreOf } from "../tables/block";
import type { BlockDocument, BlockMatrices, IntervalMatrices, Matrix } from "./document";

const at = (matrix: Matrix, i: number, j: number): number => matrix[i]?.[j] ?? NaN;

/** The block at places of a table. */
export function blockAt(table: BlockMatrices, { rows, columns }: BlockDocument, i: number, j: number): Block {
  const interval = ({ mean, low, high }: IntervalMatrices): Interval => ({
    mean: at(mean, i, j),
    low: at(low, i, j),
    high: at(high, i, j),
  });
  return {
    k: rows[i]!.label,
    l: columns[j]!.label,
    cells: table.cells[i]?.[j] ?? 0,
    mean: at(table.mean, i, j),
    sd: at(table.sd, i, j),
    skewness: at(table.skewness, i, j),
    kurtosis: at(table.kurtosis, i, j),
    p: at(table.p, i, j),
    odd: table.odd[i]?.[j] ?? false,
    posterior: table.posterior
      ? { mean: interval(table.posterior.mean), sd: interval(table.posterior.sd) }
      : undefined,
  };
}

/** Colours spread over the blocks of a table. */
export function scaleOver(blocks: readonly Block[]): Scale {
  const means = blocks.map(centreOf).filter((mean) => Number.isFinite(mean));
  return fitted(means.sort((a, b) => a - b));
}

/** Which of all clusters and components a report has; "" for all of them. */
export function leftOut(found: BlockDocument): string {
  const parts = [
    found.row_clusters > found.rows.length &&
      `the ${found.rows.length} largest of ${found.row_clusters.toLocaleString("en")} row clusters`,
    found.column_clusters > found.columns.length &&
      `the ${found.columns.length} largest of ${found.column_clusters.toLocaleString("en")} column clusters`,
    found.components > found.tables.length &&
      `the first ${found.tables.length} of ${found.components.toLocaleString("en")} components`,
  ].filter(Boolean);
  return parts.length > 0 ? `Shown are ${parts.join(" and ")}; blocks.csv holds all.` : "";
}
