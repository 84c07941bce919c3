/** blocks.csv, as a table of row clusters by column clusters. */
import type { Block, Figure, Interval, Of } from "../../tables/block";

export interface Blocks {
  /** What each says of itself. */
  readonly figures: readonly Figure[];
  /** Categories that each has shares of; 0 where there are none. */
  readonly categories: number;
  readonly rowSizes: readonly number[];
  readonly columnSizes: readonly number[];
  /** By row cluster, then column cluster; undefined where the file has none. */
  readonly grid: readonly (readonly (Block | undefined)[])[];
}

const FIGURES: readonly Figure[] = ["mean", "sd", "total", "rate", "share"];

/** What is told of a share, in the order of the columns. */
const PARTS = ["share", "share_posterior", "share_low", "share_high"] as const;

/** Columns before those that say something of a block. */
const PLACE = 5;

/** The columns of the first line, in which words may be quoted, and the text behind it. */
function headOf(text: string): [names: string[], rest: string] {
  const names = [""];
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') quoted = !quoted;
    else if (sign === "\n" && !quoted) return [names, text.slice(at + 1)];
    else if (sign === "," && !quoted) names.push("");
    else if (sign !== "\r") names[names.length - 1] += sign;
  }
  return [names, ""];
}

/** The columns as they are called where categories are numbers: words name them in the same order. */
function numbered(names: readonly string[]): readonly string[] {
  const told = names.slice(PLACE);
  const ofWords = told.some((name) => name.startsWith("share_") && !/^share(_posterior|_low|_high)?(_\d+)?$/.test(name));
  if (!ofWords) return names;
  const drawn = told.length % PARTS.length === 0 && told[told.length / PARTS.length]!.startsWith("share_posterior_");
  const categories = drawn ? told.length / PARTS.length : told.length;
  return [
    ...names.slice(0, PLACE),
    ...told.map((_, i) => {
      const part = PARTS[Math.floor(i / categories)]!;
      return categories === 1 ? part : `${part}_${i % categories}`;
    }),
  ];
}

/**
 * Read the file; below its first line it holds numbers only, so that no cell is quoted.
 *
 * @param component Which of a cell's numbers.
 */
export function parsedBlocks(text: string, component: number): Blocks {
  const [head, rest] = headOf(text);
  const names = numbered(head);
  const lines = rest.split(/\r?\n/).filter((line) => line !== "");
  const at = (name: string): number =>
    names.includes(name) ? names.indexOf(name) : names.indexOf(`${name}_${component}`);
  const [k, l, rows, columns, cells] = ["k", "l", "rows", "columns", "cells"].map(at);
  const [skewness, kurtosis, p, dispersion] = ["skewness", "kurtosis", "ppc", "dispersion"].map(at);
  const categories = names.filter((name) => /^share_\d+$/.test(name)).length;
  const figures = FIGURES.filter((figure) => at(figure) >= 0);
  const drawn = figures.filter((figure) => at(`${figure}_posterior`) >= 0);
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
    const share = drawn.includes("share") ? "share_posterior" : "share";
    return {
      k: read(k),
      l: read(l),
      rows: read(rows),
      columns: read(columns),
      cells: read(cells),
      figures: Object.fromEntries(figures.map((figure) => [figure, read(at(figure))])) as Of<number>,
      posterior:
        drawn.length > 0
          ? (Object.fromEntries(drawn.map((figure) => [figure, interval(figure)])) as Of<Interval>)
          : undefined,
      shares:
        categories > 1
          ? Array.from({ length: categories }, (_, c) => [c, read(names.indexOf(`${share}_${c}`))] as const)
          : undefined,
      dispersion: dispersion! >= 0 ? read(dispersion) : undefined,
      shape: p! >= 0 && dispersion! < 0 ? { skewness: read(skewness), kurtosis: read(kurtosis), p: read(p) } : undefined,
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
  return { figures, categories, rowSizes, columnSizes, grid };
}
