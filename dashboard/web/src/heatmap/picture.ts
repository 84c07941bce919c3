/** What the server sends of a part of a matrix, made ready to be drawn. */

import type { components } from "../api/schema";
import { type Theme, colourTable, stepOf } from "./colours";
import { rank } from "./scale";
import { type View, positionAt } from "./viewport";

export type HeatmapAnswer = components["schemas"]["HeatmapAnswer"];

export interface Picture {
  readonly answer: HeatmapAnswer;
  readonly view: View;
  /** Row by row; NaN where nothing is observed. */
  readonly mean: Float32Array;
  /** 0 to 255, likewise; null: not known. */
  readonly missing: Uint8Array | null;
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

export function decoded(answer: HeatmapAnswer): Picture {
  const raw = bytes(answer.mean);
  const view = new DataView(raw.buffer);
  const mean = new Float32Array(raw.length / 4);
  for (let i = 0; i < mean.length; i++) mean[i] = view.getFloat32(4 * i, true);
  return {
    answer,
    view: {
      rows: { from: answer.row_from, to: answer.row_to },
      columns: { from: answer.column_from, to: answer.column_to },
    },
    mean,
    missing: answer.missing === null ? null : bytes(answer.missing),
  };
}

/** Red, green, blue and opacity of each pixel; those without an observed cell let the ground through. */
export function painted(picture: Picture, theme: Theme): Uint8ClampedArray<ArrayBuffer> {
  const table = colourTable(theme);
  const { mean, answer } = picture;
  const out = new Uint8ClampedArray(4 * mean.length);
  for (let i = 0; i < mean.length; i++) {
    const value = mean[i]!;
    if (Number.isNaN(value)) continue;
    const at = 3 * stepOf(rank(answer.scale, value));
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
