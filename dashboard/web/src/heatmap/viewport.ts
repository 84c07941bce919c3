/** Which part of a matrix is looked at. Positions, not pixels: fractions while a picture moves, whole ones when asked for. */

/** Positions [from, to) of an axis. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface View {
  readonly rows: Span;
  readonly columns: Span;
}

export interface Shape {
  readonly rows: number;
  readonly columns: number;
}

/** Pixels that the matrix is drawn on. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Which axes a change is of. */
export type Axes = "both" | "rows" | "columns";

/** No fewer positions than these are shown of an axis. */
const FEWEST = 2;

/** Cells of this size, in pixels, have room for their names and numbers; an axis waits there for the other one. */
export const READABLE = { row: 18, column: 46 } as const;

/** So nearly readable is readable: rounding must not keep an axis waiting for ever. */
const THERE = 0.99;

export const length = (span: Span): number => span.to - span.from;

export const whole = (shape: Shape): View => ({
  rows: { from: 0, to: shape.rows },
  columns: { from: 0, to: shape.columns },
});

export const same = (a: View, b: View): boolean =>
  a.rows.from === b.rows.from &&
  a.rows.to === b.rows.to &&
  a.columns.from === b.columns.from &&
  a.columns.to === b.columns.to;

export const isWhole = (view: View, shape: Shape): boolean => same(view, whole(shape));

/** The nearest span of an axis of so many items. */
export function clamped(span: Span, items: number): Span {
  const size = Math.min(Math.max(length(span), Math.min(FEWEST, items)), items);
  const from = Math.min(Math.max(span.from, 0), items - size);
  return { from, to: from + size };
}

/** The whole positions that a span touches. */
export function covering(span: Span, items: number): Span {
  const from = Math.max(0, Math.floor(span.from + 1e-6));
  return { from, to: Math.min(items, Math.max(from + 1, Math.ceil(span.to - 1e-6))) };
}

export const covered = (view: View, shape: Shape): View => ({
  rows: covering(view.rows, shape.rows),
  columns: covering(view.columns, shape.columns),
});

function scaled(span: Span, items: number, factor: number, at: number): Span {
  const size = Math.min(Math.max(length(span) * factor, Math.min(FEWEST, items)), items);
  const fixed = span.from + at * length(span);
  return clamped({ from: fixed - at * size, to: fixed + (1 - at) * size }, items);
}

/**
 * Zoom by a factor, below 1 closer, about a point given as shares of width and height.
 *
 * Of "both" axes one whose cells are readable already waits until the cells of the other are, so that a matrix of many
 * rows and few columns ends with cells that can be read and not with a single column.
 */
export function zoomed(
  view: View,
  shape: Shape,
  size: Size,
  factor: number,
  at: { x: number; y: number } = { x: 0.5, y: 0.5 },
  axes: Axes = "both",
): View {
  let { rows, columns } = { rows: factor, columns: factor };
  if (axes === "rows") columns = 1;
  else if (axes === "columns") rows = 1;
  else if (factor < 1) {
    const roomOfRows = size.height / length(view.rows) / READABLE.row;
    const roomOfColumns = size.width / length(view.columns) / READABLE.column;
    // Not beyond readable while the other one is not there.
    if (roomOfRows < THERE || roomOfColumns < THERE) {
      rows = roomOfRows >= THERE ? 1 : Math.max(factor, roomOfRows);
      columns = roomOfColumns >= THERE ? 1 : Math.max(factor, roomOfColumns);
    }
  }
  return {
    rows: scaled(view.rows, shape.rows, rows, at.y),
    columns: scaled(view.columns, shape.columns, columns, at.x),
  };
}

/** Move by shares of what is shown. */
export function panned(view: View, shape: Shape, right: number, down: number): View {
  const moved = (span: Span, share: number, items: number): Span =>
    clamped({ from: span.from + share * length(span), to: span.to + share * length(span) }, items);
  return { rows: moved(view.rows, down, shape.rows), columns: moved(view.columns, right, shape.columns) };
}

/** The position under a pixel of an axis that is drawn on so many; undefined outside. */
export function positionAt(span: Span, pixel: number, pixels: number): number | undefined {
  if (pixel < 0 || pixel >= pixels) return undefined;
  return Math.min(Math.floor(span.from + (pixel / pixels) * length(span)), Math.ceil(span.to) - 1);
}

/** The pixel at which a position begins. */
export const pixelOf = (span: Span, position: number, pixels: number): number =>
  ((position - span.from) / length(span)) * pixels;

/** Which cluster a position is of, by the positions where clusters begin. */
export function clusterAt(starts: readonly number[], position: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= position) low = middle;
    else high = middle;
  }
  return low;
}

/** "12-40", as in an address; undefined for a whole axis. */
export function spanText(span: Span, items: number): string | undefined {
  const { from, to } = covering(span, items);
  return from === 0 && to === items ? undefined : `${from}-${to}`;
}

/** What {@link spanText} wrote; the whole axis if it is none. */
export function parsedSpan(text: string | null, items: number): Span {
  const found = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? "");
  const all = { from: 0, to: items };
  if (!found) return all;
  const span = { from: Number(found[1]), to: Number(found[2]) };
  return span.from < span.to && span.from < items ? clamped(span, items) : all;
}

/** Positions shown around one that was looked for. */
const AROUND = { rows: 30, columns: 14 } as const;

/** The part of an axis around a position, as an address has it; "" for a whole axis. */
export function around(axis: "rows" | "columns", position: number, items: number): string {
  const half = AROUND[axis] / 2;
  return spanText(clamped({ from: position - half, to: position + half }, items), items) ?? "";
}

/** A position as an address has it; null where it is none. */
export const positionOf = (text: string | null | undefined): number | null =>
  /^\d{1,15}$/.test(text ?? "") ? Number(text) : null;
