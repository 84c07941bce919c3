/** What a report shows: the document that disnplbm/report/document.py, or calibration.py there, puts into the page. */
import type { Noted } from "../api/names";
import type { Verdict } from "../api/types";
import type { Items } from "../heatmap/picture";
import type { Levels } from "../levels/level";
import type { Of } from "../tables/block";

/** Numbers that JSON does not have are null. */
export type Maybe = number | null;

export type Matrix = readonly (readonly Maybe[])[];

/** What the pixels of an axis cover, and the pixels where clusters begin. */
export interface AxisItems extends Items {
  readonly borders: readonly number[];
  /** Of counts: what each pixel contributes to the mean that is expected, a product. */
  readonly exposure?: readonly number[];
}

/** In base64: numbers of single precision, or a level of a byte each, 255 where it is missing. */
export type Image = { readonly floats: string } | { readonly levels: string; readonly values: readonly number[] };

/** What a pixel shows of its cells: their mean, how many times what is expected that is, or one of them. */
export type Pixel = "ratio" | "mean" | "cells";

export interface MatrixView {
  readonly rows: AxisItems;
  readonly columns: AxisItems;
  /** Of categories `cells` alone, of others only where pixels are of several. */
  readonly images: { readonly mean?: Image; readonly cells?: Image };
}

/** Figures by row cluster, then column cluster; intervals are their low and their high ends. */
export interface BlockReadOut extends Of<Matrix> {
  readonly intervals: Of<readonly [Matrix, Matrix]> | null;
  /** Of categories that a table has. */
  readonly shares?: readonly Matrix[];
}

export interface MatrixDocument {
  readonly original: MatrixView;
  readonly reordered: MatrixView;
  /** What a pixel shows to start with. */
  readonly pixel: Pixel;
  readonly blocks: BlockReadOut | null;
}

/** Known classes: their names, and the number of each item's, a byte in base64, in the order of the reordered picture. */
export interface ClassesDocument {
  readonly names: readonly string[];
  readonly of: string;
}

/** What makes a cluster of those that are shown first. */
export interface Profile {
  readonly cluster: number;
  readonly size: number;
  readonly told: string;
}

export type Measure = "log_joint" | "row_clusters" | "column_clusters" | "seconds";

export interface TraceDocument {
  readonly lines: Readonly<
    Record<Measure, { readonly iteration: readonly number[]; readonly chains: readonly (readonly Maybe[])[] }>
  >;
  readonly burn_in: number;
  /** Mean of an iteration. */
  readonly seconds: number;
}

/** Posterior probability of one number of clusters. */
export interface Bar {
  readonly label: string;
  readonly share: number;
  readonly reported: boolean;
}

export interface ConvergenceOf {
  readonly name: string;
  readonly r_hat: Maybe;
  readonly ess_bulk: Maybe;
  readonly ess_tail: Maybe;
  readonly agree: boolean | null;
}

export interface ChainAnswer {
  readonly chain: number;
  readonly row_clusters: number;
  readonly column_clusters: number;
  readonly mean_log_joint: Maybe;
  readonly row_ari: Maybe;
  readonly column_ari: Maybe;
  readonly shown: boolean;
}

export interface AxisCertainty {
  readonly axis: "row" | "column";
  readonly mean_confidence: Maybe;
  readonly least_sure: readonly { readonly name: string; readonly label: number; readonly confidence: Maybe }[];
  readonly runner_up: string | null;
  /** How often members of two clusters are together; null where there are no two. */
  readonly clusters: Matrix;
  /** All clusters, of which those are the largest. */
  readonly total: number;
  /** null: too many items. */
  readonly picture: { readonly items: AxisItems; readonly image: Image } | null;
}

export interface Certainty {
  readonly sentence: string;
  readonly doubtful: boolean;
  /** Which draws the result comes from, where those are not all; "" otherwise. */
  readonly shown: string;
  readonly numbers: { readonly rows: readonly Bar[]; readonly columns: readonly Bar[]; readonly both: readonly Bar[] };
  readonly traces: readonly ConvergenceOf[];
  readonly answers: readonly ChainAnswer[];
  readonly axes: readonly AxisCertainty[];
}

export interface Heading {
  readonly label: number;
  readonly size: number;
}

export interface IntervalMatrices {
  readonly mean: Matrix;
  readonly low: Matrix;
  readonly high: Matrix;
}

/** What blocks say of one of a cell's numbers, or of a category, over the clusters at the heads. */
export interface BlockMatrices extends Of<Matrix> {
  readonly cells: readonly (readonly number[])[];
  /** How normal they look; of real numbers. Of counts there is `p` too. */
  readonly skewness?: Matrix;
  readonly kurtosis?: Matrix;
  readonly p?: Matrix;
  /** How many times as much as Poisson counts they vary; of counts. */
  readonly dispersion?: Matrix;
  readonly odd?: readonly (readonly boolean[])[];
  readonly posterior: Of<IntervalMatrices> | null;
}

export interface BlockDocument {
  readonly rows: readonly Heading[];
  readonly columns: readonly Heading[];
  /** All there are, of which those are the largest. */
  readonly row_clusters: number;
  readonly column_clusters: number;
  readonly components: number;
  readonly tables: readonly BlockMatrices[];
  /** The category of each table, where blocks are shares of several. */
  readonly categories?: readonly number[];
}

export interface SizeOf {
  readonly label: number;
  readonly size: number;
  readonly members: readonly string[];
  readonly confidence: Maybe;
}

/** As run.json has it. */
export interface RunFigures {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  readonly dimension: number;
  readonly row_clusters: number;
  readonly column_clusters: number;
  readonly log_joint: Maybe;
  readonly iterations: number;
  readonly shards: number;
  readonly seconds: Maybe;
  readonly seconds_total: Maybe;
  readonly seconds_per_iteration: Maybe;
  readonly peak_memory_mb: Maybe;
  readonly digest: string;
  readonly created: string;
  readonly chains: number;
  readonly verdict: Verdict;
  readonly scores: Readonly<Record<string, Maybe>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, unknown>>;
  readonly versions: Readonly<Record<string, unknown>>;
  readonly notes: readonly Noted[];
  /** How the blocks fit; null: their cells have no check. */
  readonly ppc: { readonly not_normal?: number; readonly not_poisson?: number; readonly sentence: string } | null;
}

export interface RunDocument {
  readonly kind: "run";
  readonly run: RunFigures;
  /** What is shown, and of which draws. */
  readonly estimate: Noted;
  /** The same in a word, beside a figure of it. */
  readonly shown: string;
  readonly matrix: MatrixDocument;
  readonly traces: TraceDocument;
  /** null: no draws. */
  readonly certainty: Certainty | null;
  /** null: an earlier version made the run, or it has too many clusters for a tree. */
  readonly levels: Levels | null;
  /** None where the table is large, or those clusters are many. */
  readonly profiles: { readonly rows: readonly Profile[]; readonly columns: readonly Profile[] };
  readonly blocks: BlockDocument;
  /** Null: none are known, or they are too many. */
  readonly classes: { readonly rows: ClassesDocument | null; readonly columns: ClassesDocument | null };
  /** Of all rows and columns, as the reordered picture has them; null: too many. */
  readonly names: { readonly rows: readonly string[] | null; readonly columns: readonly string[] | null };
  readonly sizes: { readonly rows: readonly SizeOf[]; readonly columns: readonly SizeOf[] };
}

export interface Power {
  readonly power: number;
  readonly fit: number;
  readonly error: number;
  readonly row_clusters: number;
  readonly column_clusters: number;
}

export interface CalibrationDocument {
  readonly kind: "calibration";
  readonly name: string;
  /** Index of the power that is proposed. */
  readonly chosen: number;
  readonly sentence: string;
  /** Where chains from random clusters and chains that walk down from power 1 part. */
  readonly ends: string;
  /** Length of an error bar, either way. */
  readonly standard_errors: number;
  readonly powers: readonly Power[];
}

/** A run on a table of several parts: what it found, with the columns of each. */
export interface PartsDocument {
  readonly kind: "parts";
  readonly parts: readonly { readonly title: string; readonly found: RunDocument }[];
}

export type ReportDocument = RunDocument | PartsDocument | CalibrationDocument;
