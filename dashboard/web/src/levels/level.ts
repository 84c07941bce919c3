/** A level: clusters of rows and of columns, as many as the run has or fewer. */
import { type Cut, type Tree, cut, fine, mostBranches } from "./tree";

/** Numbers in base64, little endian. */
export interface Numbers {
  readonly floats?: string | null | undefined;
  readonly doubles?: string | null | undefined;
}

/** What the server, or a report, knows of the levels of a run. */
export interface Levels {
  readonly rows: Tree;
  readonly columns: Tree;
  /** null: too many to be sent. */
  readonly blocks: LevelBlocks | null;
  /** The level to show first; null: the clusters of the run. */
  readonly first: { readonly rows: number; readonly columns: number; readonly sentence: string } | null;
  /** What there is to choose a level by; null or missing: an earlier version wrote the run. */
  readonly curves?: Curves | null | undefined;
}

/** What is known of every level of an axis; lists may end before the finest one. */
export interface AxisCurves {
  /** Clusters that are shown first, and that the run has. */
  readonly clusters: number;
  readonly fine: number;
  readonly reason: string;
  /** Numbers of clusters, from 2 on. */
  readonly levels: readonly number[];
  /** By how much the log joint is lower than with the clusters of the run. */
  readonly lost: readonly number[];
  /** Of one chain: how many times as much as the merge before the next one costs. */
  readonly ratio: readonly number[] | null;
  /** Of several chains: adjusted Rand index between them. */
  readonly agreement: readonly number[] | null;
  /** Of a run with draws: mean over all labels. */
  readonly confidence: readonly number[] | null;
  /** The same of each cluster of a level, by its label. */
  readonly cluster_confidence: readonly (readonly number[])[] | null;
}

export interface Curves {
  readonly sentence: string;
  readonly rows: AxisCurves;
  readonly columns: AxisCurves;
}

export interface LevelBlocks {
  /** null: no cell is missing. */
  readonly cells: Numbers | null;
  /** What each weighs where figures of several are averaged; null: its cells. */
  readonly weights: Numbers | null;
  readonly tables: readonly Readonly<Record<string, Numbers>>[];
  readonly categories: readonly number[] | null;
}

/** The clusters of an axis at a level. */
export interface Branches {
  readonly tree: Tree;
  readonly cut: Cut;
  /** How many; null: all of the run. */
  readonly number: number | null;
  /** How many there can be, besides all of the run. */
  readonly most: number;
}

export interface Level {
  readonly rows: Branches;
  readonly columns: Branches;
}

/** In an address: the clusters of the run. */
export const FINE = "fine";

/** The clusters of an axis, by their number as the address has it; by default so many. */
export function branchesOf(tree: Tree, text: string | null, first: number | undefined): Branches {
  const most = mostBranches(tree);
  const asked = text === FINE ? NaN : /^\d{1,9}$/.test(text ?? "") ? Number(text) : (first ?? NaN);
  const number = Number.isNaN(asked) || asked >= tree.sizes.length ? null : Math.max(1, Math.min(most, asked));
  return { tree, cut: number === null ? fine(tree) : cut(tree, number), number, most };
}

/** A number of clusters as the address has it; null where it is that to begin with. */
export function written(number: number | null, { sizes }: Tree, first: number | undefined): string | null {
  const initial = first === undefined || first >= sizes.length ? null : first;
  return number === initial ? null : String(number ?? FINE);
}

/** Whether these are the clusters of the run. */
export const isFine = ({ rows, columns }: Level): boolean => rows.number === null && columns.number === null;
