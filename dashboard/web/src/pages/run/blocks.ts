/** blocks.csv, as a table of row clusters by column clusters. */
import type { Block, Interval } from "../../tables/block";

export interface Blocks {
  readonly rowSizes: readonly number[];
  readonly columnSizes: readonly number[];
  /** By row cluster, then column cluster; undefined where the file has none. */
  readonly grid: readonly (readonly (Block | undefined)[])[];
}

/**
 * Read the file; it holds numbers only, so that no cell is quoted.
 *
 * @param component Which of a cell's numbers.
 */
export function parsedBlocks(text: string, component: number): Blocks {
  const [head = "", ...lines] = text.split(/\r?\n/).filter((line) => line !== "");
  const names = head.split(",");
  const at = (name: string): number =>
    names.includes(name) ? names.indexOf(name) : names.indexOf(`${name}_${component}`);
  const [k, l, rows, columns, cells, mean, sd] = ["k", "l", "rows", "columns", "cells", "mean", "sd"].map(at);
  const [skewness, kurtosis, p] = ["skewness", "kurtosis", "ppc"].map(at);
  const drawn = at("mean_posterior") >= 0;
  const blocks = lines.map((line) => {
    const values = line.split(",");
    const read = (index: number | undefined): number => {
      const value = values[index ?? -1];
      return value === undefined || value === "" ? NaN : Number(value);
    };
    const interval = (name: string): Interval => ({
      mean: read(at(`${name}_posterior`)),
      low: read(at(`${name}_low`)),
      high: read(at(`${name}_high`)),
    });
    const posterior = drawn ? { mean: interval("mean"), sd: interval("sd") } : undefined;
    return {
      k: read(k),
      l: read(l),
      rows: read(rows),
      columns: read(columns),
      cells: read(cells),
      mean: read(mean),
      sd: read(sd),
      skewness: read(skewness),
      kurtosis: read(kurtosis),
      p: read(p),
      posterior,
    };
  });
  const rowSizes: number[] = [];
  const columnSizes: number[] = [];
  const grid: (Block | undefined)[][] = [];
  for (const block of blocks) {
    if (!Number.isInteger(block.k) || !Number.isInteger(block.l)) continue;
    rowSizes[block.k] = block.rows;
    columnSizes[block.l] = block.columns;
    (grid[block.k] ??= [])[block.l] = block;
  }
  return { rowSizes, columnSizes, grid };
}
