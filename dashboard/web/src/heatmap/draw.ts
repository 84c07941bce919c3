/** The drawing of a heatmap. */

import { bands, bordersOf, fittedNames, labelled, positions } from "./axes";
import { UNKNOWN, coloursOf, mostCommon } from "../classes/classes";
import { type Theme, colour, inkOn } from "./colours";
import { ASIDE } from "../levels/tree";
import { format } from "../ui";
import { type Items, type Picture, colouredBy, painted } from "./picture";
import type { Margins } from "./margins";
import { shareOf, written } from "./scale";
import type { Pen } from "./svgPen";
import { type Size, type Span, type View, clusterAt, length, pixelOf } from "./viewport";

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
  /** A row and a column that were looked for, by position. */
  readonly found: Found | undefined;
}

export interface Found {
  readonly row: number | null;
  readonly column: number | null;
}

/** Rows need so many pixels for a name, columns for one that stands upright. */
export const NAMED = { row: 12, column: 13 } as const;

/** Room below for upright names. */
export const UPRIGHT = 96;

/** Room for names below, where columns of some width are wide enough for them. */
export function roomBelow(names: readonly string[], width: number, measure: (text: string) => number): number {
  if (width < NAMED.column) return 0;
  const longest = names.reduce((most, name) => Math.max(most, measure(name)), 0);
  return longest <= width - 4 ? 20 : UPRIGHT;
}

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
export function draw(context: Pen, drawing: Drawing): void {
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
    const [wide, tall] = [density * (right - left), density * (bottom - top)];
    const averaged = image.width > wide + 1 || image.height > tall + 1;
    context.imageSmoothingEnabled = averaged;
    context.drawImage(averaged ? enlarged(image, wide, tall) : image, left, top, right - left, bottom - top);
    context.restore();
  }
  const last = pictures.at(-1);
  if (last) {
    numbers(context, last, drawing);
    borders(context, last, drawing);
  }
  if (drawing.mark) {
    if (last?.answer.order === "reordered") outlineBlock(context, drawing.mark, last, drawing);
    outline(context, drawing.mark, drawing);
  }
  context.restore();
  context.strokeStyle = inks.rule;
  context.lineWidth = 1;
  context.strokeRect(margins.left - 0.5, margins.top - 0.5, size.width + 1, size.height + 1);
  if (last) {
    rowAxis(context, last, drawing);
    columnAxis(context, last, drawing);
    if (last.classes) classBars(context, last, drawing);
    if (drawing.found && last.answer.order === "reordered") pointAt(context, drawing.found, drawing);
    if (last.trees && margins.tree.beside > 0) drawTrees(context, last.trees, drawing);
  }
}

/** Pixels across a bar of classes. */
const THICK = 8;

/** A bar beside the matrix, and one above it, in the colours of the known classes; blank where none is known. */
function classBars(
  context: Pen,
  { classes, items, answer }: Picture,
  { view, size, margins, theme }: Drawing,
): void {
  for (const [axis, span, pixels, room] of [
    ["rows", view.rows, size.height, margins.bar.beside],
    ["columns", view.columns, size.width, margins.bar.above],
  ] as const) {
    const known = classes?.[axis];
    if (!known || room === 0 || answer.order !== "reordered") continue;
    const scale = coloursOf(known);
    const covered = items?.[axis];
    const [first, end] = [Math.max(0, Math.floor(span.from)), Math.min(Math.ceil(span.to), answer.shape[axis === "rows" ? 0 : 1]!)];
    for (let from = first; from < end; ) {
      const start = covered ? covered.start[from]! : from;
      const found = mostCommon(known, start, covered ? covered.stop[from]! : from + 1);
      let to = from + 1;
      // Neighbours of one class are one stretch.
      while (to < end && mostCommon(known, covered ? covered.start[to]! : to, covered ? covered.stop[to]! : to + 1) === found) to += 1;
      if (found !== UNKNOWN) {
        const [a, b] = [Math.max(0, pixelOf(span, from, pixels)), Math.min(pixels, pixelOf(span, to, pixels))];
        context.fillStyle = colour(theme, shareOf(scale, found), scale.kind);
        if (axis === "rows") context.fillRect(margins.left - room, margins.top + a, THICK, b - a);
        else context.fillRect(margins.left + a, margins.top - room, b - a, THICK);
      }
      from = to;
    }
  }
}

/** Pixels of a row from which there are lines along it: they would hide a lower one. */
const ROOM = 6;

/** An arrow to what was looked for, and lines on both sides of it. */
function pointAt(context: Pen, { row, column }: Found, { view, size, margins, inks }: Drawing): void {
  context.save();
  context.translate(margins.left, margins.top);
  context.fillStyle = context.strokeStyle = inks.accent;
  context.lineWidth = 1.5;
  for (const [position, span, along, across, place] of [
    [row, view.rows, size.height, size.width, (at: number, over: number) => [over, at] as const],
    [column, view.columns, size.width, size.height, (at: number, over: number) => [at, over] as const],
  ] as const) {
    if (position === null || position + 1 <= span.from || position >= span.to) continue;
    const [from, to] = [pixelOf(span, position, along), pixelOf(span, position + 1, along)];
    const middle = (from + to) / 2;
    context.beginPath();
    context.moveTo(...place(middle, 0));
    context.lineTo(...place(middle - 5, -9));
    context.lineTo(...place(middle + 5, -9));
    context.fill();
    if (to - from < ROOM) continue;
    context.beginPath();
    for (const at of [from, to]) {
      context.moveTo(...place(at, 0));
      context.lineTo(...place(at, across));
    }
    context.stroke();
  }
  context.restore();
}

/** The trees of the clusters, beside the matrix and above it: their roots are outside. */
function drawTrees(
  context: Pen,
  trees: NonNullable<Picture["trees"]>,
  { view, size, margins, inks }: Drawing,
): void {
  context.save();
  context.strokeStyle = inks.soft;
  context.lineWidth = 1;
  for (const [links, span, pixels, room, place] of [
    [trees.rows, view.rows, size.height, margins.tree.beside, (along: number, up: number) => [up, along] as const],
    [trees.columns, view.columns, size.width, margins.tree.above, (along: number, up: number) => [along, up] as const],
  ] as const) {
    const [x, y] = place(margins[links === trees.rows ? "top" : "left"], 0);
    context.save();
    context.translate(x, y);
    context.beginPath();
    context.rect(0, 0, ...place(pixels, room));
    context.clip();
    context.beginPath();
    // Half a pixel keeps lines sharp.
    const at = (along: number, height: number): readonly [number, number] =>
      place(Math.round(pixelOf(span, along, pixels)) + 0.5, Math.round((room - 3) * (1 - height) + 1) + 0.5);
    for (const { ends: [a, b], height } of links) {
      context.moveTo(...at(a.at, a.height));
      context.lineTo(...at(a.at, height));
      context.lineTo(...at(b.at, height));
      context.lineTo(...at(b.at, b.height));
    }
    context.stroke();
    context.restore();
  }
  context.restore();
}

/** Pixels of a picture that is enlarged before it is averaged, at most. */
const MOST = 8_000_000;

/**
 * A picture that is made smaller along one axis and larger along the other is averaged: whole multiples of its pixels
 * first keep the larger one sharp.
 */
function enlarged(image: HTMLCanvasElement, width: number, height: number): HTMLCanvasElement {
  const room = MOST / (image.width * image.height);
  const times = (now: number, then: number): number => Math.max(1, Math.floor(Math.min(room, Math.ceil(then / now))));
  // One of them is 1: else nothing would be averaged.
  const [across, down] = [times(image.width, width), times(image.height, height)];
  if (across === 1 && down === 1) return image;
  const canvas = document.createElement("canvas");
  canvas.width = across * image.width;
  canvas.height = down * image.height;
  const context = canvas.getContext("2d")!;
  context.imageSmoothingEnabled = false;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** The ground of cells that are missing. */
export function hatch(context: Pen, size: Size, inks: Inks): void {
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
function numbers(context: Pen, picture: Picture, { view, size, theme, inks }: Drawing): void {
  const { answer, scale } = picture;
  const width = size.width / length(view.columns);
  const height = size.height / length(view.rows);
  const single =
    answer.width === answer.column_to - answer.column_from && answer.height === answer.row_to - answer.row_from;
  if (!single || !answer.exact || picture.approximate || width < 40 || height < 16) return;
  context.font = `11px ${inks.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const colours = colouredBy(picture);
  for (let i = 0; i < answer.height; i++) {
    for (let j = 0; j < answer.width; j++) {
      const at = i * answer.width + j;
      const value = picture.mean[at]!;
      if (Number.isNaN(value)) continue;
      const x = pixelOf(view.columns, answer.column_from + j + 0.5, size.width);
      const y = pixelOf(view.rows, answer.row_from + i + 0.5, size.height);
      // A cell that is cut off shows no half of a number.
      if (x < width / 2 - 6 || x > size.width - width / 2 + 6 || y < 6 || y > size.height - 6) continue;
      const text = DIGITS.map((digits) => inCell(picture, value, digits)).find(
        (each) => context.measureText(each).width <= width - 4,
      );
      if (text === undefined) continue;
      context.fillStyle = inkOn(theme, shareOf(scale, colours[at]!), scale.kind);
      context.fillText(text, x, y);
    }
  }
}

/** A cell as it was read. */
const inCell = ({ scale }: Picture, value: number, digits: number): string =>
  scale.unit === "category" ? written(scale, value, digits) : format.number(value, digits);

/** Lines between clusters, dark on light, so that they are seen on every colour; none where they would hide cells. */
function borders(context: Pen, { answer }: Picture, { view, size, inks }: Drawing): void {
  for (const [starts, span, pixels, line] of [
    [answer.row_clusters, view.rows, size.height, (y: number) => [0, y, size.width, y] as const],
    [answer.column_clusters, view.columns, size.width, (x: number) => [x, 0, x, size.height] as const],
  ] as const) {
    for (const { at, bold } of bordersOf(starts, span, pixels)) {
      const [x0, y0, x1, y1] = line(at);
      for (const [colour, width] of [[inks.ground, bold ? 3 : 1] as const, ...(bold ? [[inks.ink, 1] as const] : [])]) {
        context.beginPath();
        context.moveTo(x0, y0);
        context.lineTo(x1, y1);
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.stroke();
      }
    }
  }
}

/** The block that a mark is in. */
function outlineBlock(
  context: Pen,
  mark: { row: number; column: number },
  { answer }: Picture,
  { view, size, inks }: Drawing,
): void {
  const [k, l] = [clusterAt(answer.row_clusters, mark.row), clusterAt(answer.column_clusters, mark.column)];
  const [top, bottom] = [k, k + 1].map((each) => pixelOf(view.rows, answer.row_clusters[each]!, size.height));
  const [left, right] = [l, l + 1].map((each) => pixelOf(view.columns, answer.column_clusters[each]!, size.width));
  for (const [colour, line] of [
    [inks.ground, 5],
    [inks.ink, 2.5],
  ] as const) {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.strokeRect(left!, top!, right! - left!, bottom! - top!);
  }
}

function outline(
  context: Pen,
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

/** A span as items are counted, where they are not sorted: all positions are of as many. */
function counted(span: Span, items: Items | undefined): Span {
  const each = items ? items.count / items.start.length : 1;
  return { from: each * span.from, to: each * span.to };
}

function rowAxis(
  context: Pen,
  { answer, items }: Picture,
  { view, size: box, margins, inks }: Drawing,
): void {
  const shown = bands(answer.row_clusters, answer.row_labels, view.rows, box.height, items?.rows.clusters ?? undefined);
  // What is set aside has no strip and no label.
  const named = shown.filter(({ cluster }) => cluster !== ASIDE);
  const clustered = answer.row_clusters.length > 2 || answer.order === "reordered";
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.font = `11px ${inks.font}`;
  const edge = margins.left - margins.bar.beside;
  const right = edge - GAP - 5;
  const room = right - margins.tree.beside - 2;
  const measure = (text: string): number => context.measureText(text).width;
  const names = answer.row_names;
  const single = names !== null && box.height / length(view.rows) >= NAMED.row;
  if (clustered)
    strips(
      context,
      named.map((band) => [edge - 7, margins.top + band.from, 4, band.to - band.from] as const),
      inks,
    );
  if (single) {
    context.fillStyle = inks.ink;
    const [places, visible] = inView(names, answer.row_from, view.rows, box.height);
    fittedNames(visible, room, measure).forEach((name, i) => context.fillText(name, right, margins.top + places[i]!));
  } else if (clustered) {
    const kept = labelled(named, 13);
    const middles = kept.map((band) => (band.from + band.to) / 2);
    for (const [i, band] of kept.entries()) {
      const y = margins.top + middles[i]!;
      // Two lines have room in the band, and beside the labels next to it.
      const near = [middles[i - 1], middles[i + 1]].some((at) => at !== undefined && Math.abs(at - middles[i]!) < 22);
      const tall = band.to - band.from >= 30 && !near;
      context.fillStyle = inks.ink;
      context.fillText(String(band.cluster), right, tall ? y - 7 : y);
      context.fillStyle = inks.soft;
      const size = [format.plural(band.items, "row"), format.count(band.items)].find(
        (each) => measure(each) <= room,
      );
      if (tall && size !== undefined) context.fillText(size, right, y + 7);
    }
  } else {
    context.fillStyle = inks.soft;
    const span = counted(view.rows, items?.rows);
    for (const position of positions(span, box.height, 40)) {
      context.fillText(format.count(position), right, margins.top + pixelOf(span, position, box.height));
    }
  }
}

function columnAxis(
  context: Pen,
  { answer, items }: Picture,
  { view, size, margins, inks }: Drawing,
): void {
  const shown = bands(
    answer.column_clusters,
    answer.column_labels,
    view.columns,
    size.width,
    items?.columns.clusters ?? undefined,
  );
  const named = shown.filter(({ cluster }) => cluster !== ASIDE);
  const clustered = answer.column_clusters.length > 2 || answer.order === "reordered";
  const edge = margins.top - margins.bar.above;
  context.font = `11px ${inks.font}`;
  const measure = (text: string): number => context.measureText(text).width;
  if (clustered) {
    strips(
      context,
      named.map((band) => [margins.left + band.from, edge - 7, band.to - band.from, 4] as const),
      inks,
    );
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    const widest = Math.max(0, ...named.map(({ cluster }) => measure(String(cluster))));
    for (const band of labelled(named, widest + 8)) {
      const long = `${band.cluster} · ${format.plural(band.items, "column")}`;
      const short = `${band.cluster} · ${format.count(band.items)}`;
      const text = [long, short].find((each) => measure(each) <= band.to - band.from - 6) ?? String(band.cluster);
      context.fillStyle = inks.ink;
      const middle = Math.min((band.from + band.to) / 2, size.width - measure(text) / 2);
      context.fillText(text, margins.left + middle, edge - 11);
    }
  }
  if (!clustered && margins.bottom === 0) {
    context.textAlign = "center";
    context.fillStyle = inks.soft;
    const span = counted(view.columns, items?.columns);
    for (const position of positions(span, size.width, 70)) {
      context.fillText(format.count(position), margins.left + pixelOf(span, position, size.width), margins.top - 11);
    }
  }
  if (margins.bottom === 0 || answer.column_names === null) return;
  context.fillStyle = inks.ink;
  context.textAlign = margins.bottom === UPRIGHT ? "right" : "center";
  context.textBaseline = "middle";
  const upright = margins.bottom === UPRIGHT;
  const [places, visible] = inView(answer.column_names, answer.column_from, view.columns, size.width);
  const room = upright ? UPRIGHT - 8 : size.width / length(view.columns) - 4;
  fittedNames(visible, room, measure).forEach((name, j) => {
    context.save();
    context.translate(margins.left + places[j]!, margins.top + size.height + 5);
    if (upright) context.rotate(-Math.PI / 2);
    context.fillText(name, 0, upright ? 0 : 7);
    context.restore();
  });
}

/** Names that are in view, and the pixel in the middle of each. */
function inView(names: readonly string[], first: number, span: Span, pixels: number): [number[], string[]] {
  const all = names.map((name, i) => [pixelOf(span, first + i + 0.5, pixels), name] as const);
  const found = all.filter(([at]) => at >= 0 && at <= pixels);
  return [found.map(([at]) => at), found.map(([, name]) => name)];
}

/** One strip beside each cluster, with a gap between two. */
function strips(
  context: Pen,
  all: readonly (readonly [number, number, number, number])[],
  inks: Inks,
): void {
  context.fillStyle = inks.soft;
  for (const [x, y, width, height] of all) {
    const [across, along] = width === 4 ? [0, Math.min(1, height / 4)] : [Math.min(1, width / 4), 0];
    context.fillRect(x + across, y + along, width - 2 * across, height - 2 * along);
  }
}
