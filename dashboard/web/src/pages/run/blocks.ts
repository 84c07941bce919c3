/** blocks.csv, as a table of row clusters by column clusters. */

export interface Block {
  readonly k: number;
  readonly l: number;
  readonly rows: number;
  readonly columns: number;
  readonly cells: number;
  /** NaN where no cell is observed; of one of a cell's numbers. */
  readonly mean: number;
  readonly sd: number;
}

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
  const blocks = lines.map((line): Block => {
    const values = line.split(",");
    const read = (index: number | undefined): number => {
      const value = values[index ?? -1];
      return value === undefined || value === "" ? NaN : Number(value);
    };
    return {
      k: read(k),
      l: read(l),
      rows: read(rows),
      columns: read(columns),
      cells: read(cells),
      mean: read(mean),
      sd: read(sd),
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
