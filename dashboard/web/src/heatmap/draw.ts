/** The drawing of a heatmap. */

import { bands, fitted, labelled, positions } from "./axes";
import { type Theme, inkOn } from "./colours";
import { format } from "../ui";
import { type Picture, painted } from "./picture";
import { rank } from "./scale";
import { type Size, type View, length, pixelOf } from "./viewport";

/** Room around the matrix, in pixels. */
export interface Margins {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Inks {
  readonly ground: string;
  readonly ink: string;
  readonly soft: string;
  readonly rule: string;
  readonly accent: string;
  readonly font: string;
}

export interface Drawing {
  readonly view: View;
  /** Drawn one over the other: the whole matrix first, then what is nearer. */
  readonly pictures: readonly Picture[];
  readonly size: Size;
  readonly margins: Margins;
  readonly theme: Theme;
  readonly inks: Inks;
  /** A position to mark. */
  readonly mark: { row: number; column: number } | null;
}

/** Rows need so many pixels for a name, columns for one that stands upright. */
export const NAMED = { row: 12, column: 13 } as const;

/** Room below for upright names. */
export const UPRIGHT = 96;

const GAP = 6;

/** Significant digits of numbers in cells, as many as there is room for. */
const DIGITS = [3, 2, 1] as const;

const images = new WeakMap<Picture, Partial<Record<Theme, HTMLCanvasElement>>>();

/** A picture as an image of its own pixels, kept as long as the picture is. */
function imageOf(picture: Picture, theme: Theme): HTMLCanvasElement {
  const kept = images.get(picture) ?? {};
  images.set(picture, kept);
  return (kept[theme] ??= rendered(picture, theme));
}

function rendered(picture: Picture, theme: Theme): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = picture.answer.width;
  canvas.height = picture.answer.height;
  const image = new ImageData(painted(picture, theme), canvas.width, canvas.height);
  canvas.getContext("2d")!.putImageData(image, 0, 0);
  return canvas;
}

/** Draw; the context is scaled so that its unit is a pixel of the page. */
export function draw(context: CanvasRenderingContext2D, drawing: Drawing): void {
  const { view, pictures, size, margins, theme, inks } = drawing;
  context.clearRect(0, 0, size.width + margins.left, size.height + margins.top + margins.bottom);
  context.save();
  context.translate(margins.left, margins.top);
  context.beginPath();
  context.rect(0, 0, size.width, size.height);
  context.clip();
  const density = context.getTransform().a;
  hatch(context, size, inks);
  for (const picture of pictures) {
    const left = pixelOf(view.columns, picture.view.columns.from, size.width);
    const top = pixelOf(view.rows, picture.view.rows.from, size.height);
    const right = pixelOf(view.columns, picture.view.columns.to, size.width);
    const bottom = pixelOf(view.rows, picture.view.rows.to, size.height);
    const image = imageOf(picture, theme);
    // What is behind must not shine through where cells of this picture are missing.
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    context.clearRect(left, top, right - left, bottom - top);
    hatch(context, size, inks);
    context.imageSmoothingEnabled =
      image.width > density * (right - left) + 1 || image.height > density * (bottom - top) + 1;
    context.drawImage(image, left, top, right - left, bottom - top);
    context.restore();
  }
  const last = pictures.at(-1);
  if (last) {
    numbers(context, last, drawing);
    borders(context, last, drawing);
  }
  if (drawing.mark) outline(context, drawing.mark, drawing);
  context.restore();
  context.strokeStyle = inks.rule;
  context.lineWidth = 1;
  context.strokeRect(margins.left - 0.5, margins.top - 0.5, size.width + 1, size.height + 1);
  if (last) {
    rowAxis(context, last, drawing);
    columnAxis(context, last, drawing);
  }
}

/** The ground of cells that are missing. */
function hatch(context: CanvasRenderingContext2D, size: Size, inks: Inks): void {
  context.save();
  context.fillStyle = inks.ground;
  context.fillRect(0, 0, size.width, size.height);
  context.strokeStyle = inks.soft;
  context.globalAlpha = 0.45;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = -size.height; x < size.width; x += 5) {
    context.moveTo(x, size.height);
    context.lineTo(x + size.height, 0);
  }
  context.stroke();
  context.restore();
}

/** Values in the cells, where they have room. */
function numbers(context: CanvasRenderingContext2D, picture: Picture, { view, size, theme, inks }: Drawing): void {
  const { answer } = picture;
  const width = size.width / length(view.columns);
  const height = size.height / length(view.rows);
  const single =
    answer.width === answer.column_to - answer.column_from && answer.height === answer.row_to - answer.row_from;
  if (!single || width < 40 || height < 16) return;
  context.font = `11px ${inks.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let i = 0; i < answer.height; i++) {
    for (let j = 0; j < answer.width; j++) {
      const value = picture.mean[i * answer.width + j]!;
      if (Number.isNaN(value)) continue;
      const x = pixelOf(view.columns, answer.column_from + j + 0.5, size.width);
      const y = pixelOf(view.rows, answer.row_from + i + 0.5, size.height);
      // A cell that is cut off shows no half of a number.
      if (x < width / 2 - 6 || x > size.width - width / 2 + 6 || y < 6 || y > size.height - 6) continue;
      const text = DIGITS.map((digits) => format.number(value, digits)).find(
        (each) => context.measureText(each).width <= width - 4,
      );
      if (text === undefined) continue;
      context.fillStyle = inkOn(theme, rank(answer.scale, value));
      context.fillText(text, x, y);
    }
  }
}

/** Lines between clusters: dark on light, so that they are seen on every colour. */
function borders(context: CanvasRenderingContext2D, { answer }: Picture, { view, size, inks }: Drawing): void {
  context.beginPath();
  for (const start of answer.row_clusters.slice(1, -1)) {
    const y = Math.round(pixelOf(view.rows, start, size.height));
    if (y < 0 || y > size.height) continue;
    context.moveTo(0, y);
    context.lineTo(size.width, y);
  }
  for (const start of answer.column_clusters.slice(1, -1)) {
    const x = Math.round(pixelOf(view.columns, start, size.width));
    if (x < 0 || x > size.width) continue;
    context.moveTo(x, 0);
    context.lineTo(x, size.height);
  }
  context.strokeStyle = inks.ground;
  context.lineWidth = 3;
  context.stroke();
  context.strokeStyle = inks.ink;
  context.lineWidth = 1;
  context.stroke();
}

function outline(
  context: CanvasRenderingContext2D,
  mark: { row: number; column: number },
  { view, size, inks }: Drawing,
): void {
  const left = pixelOf(view.columns, mark.column, size.width);
  const top = pixelOf(view.rows, mark.row, size.height);
  const width = Math.max(7, size.width / length(view.columns));
  const height = Math.max(7, size.height / length(view.rows));
  for (const [colour, line] of [
    [inks.ground, 4],
    [inks.accent, 2],
  ] as const) {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.strokeRect(left, top, width, height);
  }
}

function rowAxis(
  context: CanvasRenderingContext2D,
  { answer }: Picture,
  { view, size: box, margins, inks }: Drawing,
): void {
  const shown = bands(answer.row_clusters, view.rows, box.height);
  const clustered = answer.row_clusters.length > 2 || answer.order === "reordered";
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.font = `11px ${inks.font}`;
  const right = margins.left - GAP - 5;
  const measure = (text: string): number => context.measureText(text).width;
  const names = answer.row_names;
  const named = names !== null && box.height / length(view.rows) >= NAMED.row;
  if (clustered)
    strips(
      context,
      shown.map((band) => [margins.left - 7, margins.top + band.from, 4, band.to - band.from] as const),
      inks,
    );
  if (named) {
    context.fillStyle = inks.ink;
    names.forEach((name, i) => {
      const y = pixelOf(view.rows, answer.row_from + i + 0.5, box.height);
      if (y >= 0 && y <= box.height) context.fillText(fitted(name, right - 2, measure), right, margins.top + y);
    });
  } else if (clustered) {
    for (const band of labelled(shown, 13)) {
      const y = margins.top + (band.from + band.to) / 2;
      const tall = band.to - band.from >= 30;
      context.fillStyle = inks.ink;
      context.fillText(String(band.cluster), right, tall ? y - 7 : y);
      context.fillStyle = inks.soft;
      const size = [format.plural(band.items, "row"), format.count(band.items)].find(
        (each) => measure(each) <= right - 2,
      );
      if (tall && size !== undefined) context.fillText(size, right, y + 7);
    }
  } else {
    context.fillStyle = inks.soft;
    for (const position of positions(view.rows, box.height, 40)) {
      context.fillText(format.count(position), right, margins.top + pixelOf(view.rows, position, box.height));
    }
  }
}

function columnAxis(
  context: CanvasRenderingContext2D,
  { answer }: Picture,
  { view, size, margins, inks }: Drawing,
): void {
  const shown = bands(answer.column_clusters, view.columns, size.width);
  const clustered = answer.column_clusters.length > 2 || answer.order === "reordered";
  context.font = `11px ${inks.font}`;
  const measure = (text: string): number => context.measureText(text).width;
  if (clustered) {
    strips(
      context,
      shown.map((band) => [margins.left + band.from, margins.top - 7, band.to - band.from, 4] as const),
      inks,
    );
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    for (const band of labelled(shown, 18)) {
      const long = `${band.cluster} · ${format.plural(band.items, "column")}`;
      const short = `${band.cluster} · ${format.count(band.items)}`;
      const text = [long, short].find((each) => measure(each) <= band.to - band.from - 6) ?? String(band.cluster);
      context.fillStyle = inks.ink;
      context.fillText(text, margins.left + (band.from + band.to) / 2, margins.top - 11);
    }
  }
  if (!clustered && margins.bottom === 0) {
    context.textAlign = "center";
    context.fillStyle = inks.soft;
    for (const position of positions(view.columns, size.width, 70)) {
      context.fillText(
        format.count(position),
        margins.left + pixelOf(view.columns, position, size.width),
        margins.top - 11,
      );
    }
  }
  if (margins.bottom === 0 || answer.column_names === null) return;
  context.fillStyle = inks.ink;
  context.textAlign = margins.bottom === UPRIGHT ? "right" : "center";
  context.textBaseline = "middle";
  const wide = size.width / length(view.columns) - 4;
  answer.column_names.forEach((name, j) => {
    const x = pixelOf(view.columns, answer.column_from + j + 0.5, size.width);
    if (x < 0 || x > size.width) return;
    context.save();
    context.translate(margins.left + x, margins.top + size.height + 5);
    if (margins.bottom === UPRIGHT) {
      context.rotate(-Math.PI / 2);
      context.fillText(fitted(name, UPRIGHT - 8, measure), 0, 0);
    } else {
      context.fillText(fitted(name, wide, measure), 0, 7);
    }
    context.restore();
  });
}

/** One strip beside each cluster, with a gap between two. */
function strips(
  context: CanvasRenderingContext2D,
  all: readonly (readonly [number, number, number, number])[],
  inks: Inks,
): void {
  context.fillStyle = inks.soft;
  for (const [x, y, width, height] of all) {
    const [across, along] = width === 4 ? [0, Math.min(1, height / 4)] : [Math.min(1, width / 4), 0];
    context.fillRect(x + across, y + along, width - 2 * across, height - 2 * along);
  }
}
