/** A part of a matrix, ready to be drawn. */

import type { components } from "../api/schema";
import type { Classes } from "../classes/classes";
import { bytes } from "./bytes";
import { type Theme, colourTable, stepOf } from "./colours";
import type { Links } from "../levels/links";
import { type Scale, fitted, ofCategories, ofCounts, ofShares, shareOf } from "./scale";
import { type View, clusterAt, positionAt } from "./viewport";

export type HeatmapAnswer = components["schemas"]["HeatmapAnswer"];

export type Order = "reordered" | "original";

/**
 * What a picture is of: as the server says it, in positions of rows and columns.
 *
 * A report has the whole matrix on so many pixels, and draws small clusters wider than their share. Its positions are
 * those pixels; its {@link Items} say which rows and columns they are.
 */
export interface Frame {
  readonly shape: readonly number[];
  readonly order: Order;
  readonly row_from: number;
  readonly row_to: number;
  readonly column_from: number;
  readonly column_to: number;
  readonly height: number;
  readonly width: number;
  readonly exact: boolean;
  readonly row_clusters: readonly number[];
  readonly column_clusters: readonly number[];
  /** Label of each cluster, in the order in which they are shown. */
  readonly row_labels: readonly number[];
  readonly column_labels: readonly number[];
  readonly row_names: readonly string[] | null;
  readonly column_names: readonly string[] | null;
}

/** Rows, or columns, at positions that are each of several of them, or several of which are of the same one. */
export interface Items {
  readonly count: number;
  /** At each position the items [start, stop), counted as they are shown, and the names of the first and last one. */
  readonly start: readonly number[];
  readonly stop: readonly number[];
  readonly first: readonly string[];
  readonly last: readonly string[];
  /** Items before each cluster, and all of them; null where they are not sorted by cluster. */
  readonly clusters: readonly number[] | null;
  /** Their labels, in the order in which they are shown. */
  readonly labels: readonly number[] | null;
}

/** What the pixels of either axis contribute to the mean that the totals of rows and columns let expect: a product. */
export interface Exposure {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

export interface Picture {
  readonly answer: Frame;
  readonly view: View;
  readonly scale: Scale;
  /** Undefined where each position is one item. */
  readonly items?: { readonly rows: Items; readonly columns: Items };
  /** Whether values are near to what they stand for, and no more. */
  readonly approximate?: boolean;
  /** Whether a pixel shows one of its cells, and not their mean. */
  readonly sampled?: boolean;
  /** Row by row; NaN where nothing is observed. Of categories: one cell, by its number. */
  readonly mean: Float32Array | Float64Array;
  /** Of counts that are compared with what is expected. */
  readonly exposure?: Exposure;
  /** How many times what is expected each pixel has, where the colours stand for that. */
  readonly multiple?: Float32Array;
  /** How its clusters merge, where that is drawn beside it. */
  readonly trees?: { readonly rows: Links; readonly columns: Links };
  /** Known classes of its rows and of its columns, where they are drawn beside it. */
  readonly classes?: { readonly rows?: Classes | undefined; readonly columns?: Classes | undefined };
  /** 0 to 255, likewise; null: not known. */
  readonly missing: Uint8Array | null;
}

/** Numbers of single precision, little endian. */
export function floats(base64: string): Float32Array {
  const raw = bytes(base64);
  const view = new DataView(raw.buffer);
  const found = new Float32Array(raw.length / 4);
  for (let i = 0; i < found.length; i++) found[i] = view.getFloat32(4 * i, true);
  return found;
}

/** How colours are spread over cells of a kind. */
export function scaleFor({ cells, categories, scale }: Pick<HeatmapAnswer, "cells" | "categories" | "scale">): Scale {
  if (cells === "categorical") return ofCategories(categories ?? []);
  if (cells === "binary") return ofShares(scale);
  return cells === "counts" ? ofCounts(scale) : fitted(scale);
}

export function decoded(answer: HeatmapAnswer): Picture {
  const { row_exposure: rows, column_exposure: columns } = answer;
  return {
    answer,
    scale: scaleFor(answer),
    exposure: rows && columns ? { rows, columns } : undefined,
    sampled: answer.cells === "categorical",
    view: {
      rows: { from: answer.row_from, to: answer.row_to },
      columns: { from: answer.column_from, to: answer.column_to },
    },
    mean: floats(answer.mean),
    missing: answer.missing === null ? null : bytes(answer.missing),
  };
}

/** What the colours of a picture stand for. */
export const colouredBy = ({ mean, multiple }: Picture): Float32Array | Float64Array => multiple ?? mean;

/** Red, green, blue and opacity of each pixel; those without an observed cell let the ground through. */
export function painted(picture: Picture, theme: Theme): Uint8ClampedArray<ArrayBuffer> {
  const { scale } = picture;
  const values = colouredBy(picture);
  const table = colourTable(theme, scale.kind);
  const out = new Uint8ClampedArray(4 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    const at = 3 * stepOf(shareOf(scale, value));
    out[4 * i] = table[at]!;
    out[4 * i + 1] = table[at + 1]!;
    out[4 * i + 2] = table[at + 2]!;
    out[4 * i + 3] = 255;
  }
  return out;
}

/** A pixel of a picture, and the positions that it is of. */
export interface Spot {
  readonly value: number;
  /** The mean that is expected, of counts. */
  readonly expected?: number;
  /** Share of missing cells, 0 to 1; null: not known. */
  readonly missing: number | null;
  readonly rows: { from: number; to: number };
  readonly columns: { from: number; to: number };
}

/** What a picture shows at a position; undefined where it shows nothing of it. */
export function spotAt(picture: Picture, row: number, column: number): Spot | undefined {
  const { view, answer, mean, missing } = picture;
  if (row < view.rows.from || row >= view.rows.to || column < view.columns.from || column >= view.columns.to)
    return undefined;
  const pixel = (position: number, from: number, to: number, pixels: number): number =>
    Math.floor(((position - from) * pixels) / (to - from));
  const covers = (at: number, from: number, to: number, pixels: number): { from: number; to: number } => ({
    from: from + Math.ceil((at * (to - from)) / pixels),
    to: from + Math.ceil(((at + 1) * (to - from)) / pixels),
  });
  const i = pixel(row, view.rows.from, view.rows.to, answer.height);
  const j = pixel(column, view.columns.from, view.columns.to, answer.width);
  const at = i * answer.width + j;
  return {
    value: mean[at] ?? NaN,
    expected: picture.exposure && picture.exposure.rows[i]! * picture.exposure.columns[j]!,
    missing: missing === null ? null : (missing[at] ?? 0) / 255,
    rows: covers(i, view.rows.from, view.rows.to, answer.height),
    columns: covers(j, view.columns.from, view.columns.to, answer.width),
  };
}

/** The position of a view under a point of the drawing. */
export function placeAt(
  view: View,
  x: number,
  y: number,
  size: { width: number; height: number },
): { row: number; column: number } | undefined {
  const row = positionAt(view.rows, y, size.height);
  const column = positionAt(view.columns, x, size.width);
  return row === undefined || column === undefined ? undefined : { row, column };
}

/** How many items a span of positions shows. */
export function itemsIn(items: Items | undefined, span: { from: number; to: number }): number {
  if (!items) return Math.round(span.to - span.from);
  const first = Math.max(0, Math.floor(span.from));
  const last = Math.min(items.stop.length, Math.ceil(span.to)) - 1;
  return (items.stop[last] ?? 0) - (items.start[first] ?? 0);
}

/** Labels of the clusters of the items at a position, as they are shown; undefined where there are none. */
export function clustersAt(items: Items, position: number): readonly number[] | undefined {
  if (!items.clusters) return undefined;
  const [start, stop] = [items.start[position] ?? 0, items.stop[position] ?? 1];
  const [first, last] = [clusterAt(items.clusters, start), clusterAt(items.clusters, stop - 1)];
  return Array.from({ length: last - first + 1 }, (_, i) => items.labels?.[first + i] ?? first + i);
}

/** The position that shows an item, counted as they are shown. */
export const positionAtItem = ({ start, stop }: Items, item: number): number =>
  Math.max(0, start.findIndex((first, at) => first <= item && item < stop[at]!));

/** The positions of a cluster; undefined where it is not. */
export function spanOf(
  starts: readonly number[],
  labels: readonly number[],
  label: number,
): readonly [number, number] | undefined {
  const place = labels.indexOf(label);
  return place < 0 ? undefined : [starts[place]!, starts[place + 1]!];
}
