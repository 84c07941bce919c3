/** A matrix that is looked at: what is shown of it, where the reader points, and what the keys do. */

import { type RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { resolved } from "../charts/inks";
import { useDark } from "../ui/theme";
import { type Inks, type Margins, NAMED, UPRIGHT, draw } from "./draw";
import { type Order, placeAt } from "./picture";
import type { Spread } from "./scale";
import { useGestures } from "./useGestures";
import { type Pictures, type Source, usePictures } from "./usePictures";
import {
  type Shape,
  type Size,
  type View,
  isWhole,
  length,
  panned,
  parsedSpan,
  same,
  spanText,
  whole,
  zoomed,
} from "./viewport";

/** The part that is shown, as {@link spanText} writes it; null: all. */
export interface Part {
  readonly rows: string | null;
  readonly columns: string | null;
}

export interface Asked {
  readonly source: Source;
  readonly order: Order;
  readonly component: number;
  readonly spread: Spread | null;
  /** As the address has it. */
  readonly part: Part;
  readonly onPart: (part: Part) => void;
  /** Height of the drawing for its width, and for the room that names below the matrix take. */
  readonly tall: (width: number, below: number) => number;
}

export interface Heatmap extends Pictures {
  readonly box: RefObject<HTMLDivElement>;
  readonly canvas: RefObject<HTMLCanvasElement>;
  /** With its margins. */
  readonly outer: Size;
  readonly view: View | undefined;
  readonly shape: Shape | undefined;
  readonly isWhole: boolean;
  readonly theme: "light" | "dark";
  /** A place that the reader points at, by mouse or by keyboard. */
  readonly mark: { row: number; column: number } | null;
  readonly hover: { x: number; y: number } | undefined;
  readonly focused: boolean;
  readonly dragging: boolean;
  readonly zoom: (factor: number) => void;
  readonly showWhole: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocus: (event: FocusEvent) => void;
  readonly onBlur: () => void;
}

/** Milliseconds that the reader rests before the address is changed. */
const REST = 200;

/** By how much a key zooms. */
export const STEP = 0.7;

/** Pixels of a picture that Shift and an arrow move the mark by. */
const FAR = 10;

/** Room above the matrix. */
export const TOP = 26;

/** Room beside the matrix, in a drawing of some width. */
const leftOf = (width: number): number => (width < 480 ? 54 : 84);

/** Width of the matrix in a drawing of some width. */
export const innerWidth = (width: number): number => Math.max(0, width - leftOf(width));

export function useHeatmap({ source, order, component, spread, part, onPart, tall }: Asked): Heatmap {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useDark() ? "dark" : "light";
  const [margins, setMargins] = useState<Margins>({ left: 84, top: TOP, bottom: 0 });
  const outer = useMeasured(box, (width) => tall(width, margins.bottom), margins.bottom);
  const [view, setView] = useState<View>();
  const [hover, setHover] = useState<{ x: number; y: number }>();
  const [focused, setFocused] = useState(false);
  /** Where the keyboard's mark is along an axis all of which is shown; else it is in the middle. */
  const [cursor, setCursor] = useState<{ row?: number; column?: number }>({});
  const size = {
    width: Math.max(0, outer.width - margins.left),
    height: Math.max(0, outer.height - margins.top - margins.bottom),
  };
  const pictures = usePictures({ source, order, component, spread, view, size });
  const { overview, picture } = pictures;
  const shape = useMemo<Shape | undefined>(
    () => (picture ? { rows: picture.answer.shape[0]!, columns: picture.answer.shape[1]! } : undefined),
    [picture?.answer.shape.join()],
  );
  useAddress(part, onPart, view, shape, setView);

  const shown = view ?? (shape && whole(shape));
  const names = picture?.answer.column_names ?? null;

  // Room for names below, where columns are wide enough for them.
  useEffect(() => {
    if (outer.width === 0) return;
    const left = leftOf(outer.width);
    let bottom = 0;
    if (shown && names && size.width / length(shown.columns) >= NAMED.column) {
      const context = canvas.current!.getContext("2d")!;
      context.font = `11px ${getComputedStyle(canvas.current!).fontFamily}`;
      const longest = names.reduce((most, name) => Math.max(most, context.measureText(name).width), 0);
      bottom = longest <= size.width / length(shown.columns) - 4 ? 20 : UPRIGHT;
    }
    setMargins((now) => (now.left === left && now.bottom === bottom ? now : { left, top: TOP, bottom }));
  }, [outer.width, names, shown && length(shown.columns)]);

  const place = hover && shown ? placeAt(shown, hover.x - margins.left, hover.y - margins.top, size) : undefined;
  const at = shown && shape && marked(shown, shape, cursor);
  const mark = place ?? (focused && at ? at : null);

  useLayoutEffect(() => {
    if (!shown || !picture || size.width < 10) return;
    const element = canvas.current!;
    const density = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(outer.width * density), Math.round(outer.height * density)];
    if (element.width !== width) element.width = width;
    if (element.height !== height) element.height = height;
    const context = element.getContext("2d")!;
    context.setTransform(density, 0, 0, density, 0, 0);
    const layers = overview && overview !== picture ? [overview, picture] : [picture];
    draw(context, { view: shown, pictures: layers, size, margins, theme, inks: inksOf(element), mark });
  }, [shown, picture, overview, outer, margins, theme, mark?.row, mark?.column]);

  const change = (next: (now: View) => View): void => {
    if (!shape) return;
    setView((now) => {
      const before = now ?? whole(shape);
      const after = next(before);
      return same(before, after) ? now : after;
    });
  };
  const zoom = (factor: number): void => change((now) => zoomed(now, shape!, size, factor));
  const showWhole = (): void => change(() => whole(shape!));

  const { dragging } = useGestures(canvas, {
    margins,
    size,
    zoomedOut: !shown || !shape || isWhole(shown, shape),
    onZoom: (factor, at, axes) => change((now) => zoomed(now, shape!, size, factor, at, axes)),
    onPan: (right, down) => change((now) => panned(now, shape!, right, down)),
    onHover: setHover,
  });

  /** What is shown moves below the mark; where all is shown, the mark moves. */
  const move = (axis: "row" | "column", direction: 1 | -1, far: boolean): void => {
    if (!shown || !shape || !at) return;
    const [span, items] = axis === "row" ? [shown.rows, shape.rows] : [shown.columns, shape.columns];
    if (span.from > 0 || span.to < items) {
      const by = direction * Math.max(far ? 0.5 : 0.1, 1 / length(span));
      change((now) => panned(now, shape, axis === "column" ? by : 0, axis === "row" ? by : 0));
      return;
    }
    const pixels = axis === "row" ? picture!.answer.height : picture!.answer.width;
    const step = Math.max(1, Math.round(items / pixels)) * (far ? FAR : 1);
    setCursor({ ...cursor, [axis]: Math.min(items - 1, Math.max(0, at[axis] + direction * step)) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      "+": () => zoom(STEP),
      "=": () => zoom(STEP),
      "-": () => zoom(1 / STEP),
      _: () => zoom(1 / STEP),
      "0": showWhole,
      Home: showWhole,
      Escape: () => setFocused(false),
      ArrowLeft: () => move("column", -1, event.shiftKey),
      ArrowRight: () => move("column", 1, event.shiftKey),
      ArrowUp: () => move("row", -1, event.shiftKey),
      ArrowDown: () => move("row", 1, event.shiftKey),
    };
    const act = keys[event.key];
    if (!act || !shape) return;
    event.preventDefault();
    if (event.key.startsWith("Arrow")) setFocused(true);
    act();
  };

  return {
    ...pictures,
    box,
    canvas,
    outer,
    view: shown,
    shape,
    isWhole: !shown || !shape || isWhole(shown, shape),
    theme,
    mark,
    hover: place && hover,
    focused,
    dragging,
    zoom,
    showWhole,
    onKeyDown,
    onFocus: (event) => setFocused((event.currentTarget as Element).matches(":focus-visible")),
    onBlur: () => setFocused(false),
  };
}

/** Size of the drawing: as wide as there is room, measured anew where names appear below. */
function useMeasured(box: RefObject<HTMLDivElement>, tall: (width: number) => number, below: number): Size {
  const [outer, setOuter] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = box.current!;
    const measured = (): void => {
      const width = Math.floor(element.clientWidth);
      const height = Math.round(tall(width));
      setOuter((now) => (now.width === width && now.height === height ? now : { width, height }));
    };
    measured();
    const observer = new ResizeObserver(measured);
    observer.observe(element);
    return () => observer.disconnect();
  }, [below]);
  return outer;
}

/** The address says where to begin; afterwards it follows, unless somebody else changes it. */
function useAddress(
  part: Part,
  onPart: (part: Part) => void,
  view: View | undefined,
  shape: Shape | undefined,
  setView: (view: View) => void,
): void {
  const written = useRef(part);
  useEffect(() => {
    if (!shape) return;
    const changed = part.rows !== written.current.rows || part.columns !== written.current.columns;
    if (view && !changed) return;
    written.current = part;
    setView({ rows: parsedSpan(part.rows, shape.rows), columns: parsedSpan(part.columns, shape.columns) });
  }, [shape, part.rows, part.columns]);
  useEffect(() => {
    if (!view || !shape) return;
    const rows = spanText(view.rows, shape.rows) ?? null;
    const columns = spanText(view.columns, shape.columns) ?? null;
    if (rows === part.rows && columns === part.columns) return;
    const timer = window.setTimeout(() => {
      written.current = { rows, columns };
      onPart(written.current);
    }, REST);
    return () => window.clearTimeout(timer);
  }, [view, shape, part.rows, part.columns, onPart]);
}

/** Where the keyboard's mark is: in the middle, along an axis all of which is shown where it was moved to. */
function marked(
  view: View,
  shape: Shape,
  cursor: { row?: number; column?: number },
): { row: number; column: number } {
  const along = ({ from, to }: { from: number; to: number }, items: number, moved: number | undefined): number =>
    moved !== undefined && from === 0 && to === items ? moved : Math.floor((from + to) / 2);
  return {
    row: along(view.rows, shape.rows, cursor.row),
    column: along(view.columns, shape.columns, cursor.column),
  };
}

function inksOf(element: Element): Inks {
  const of = (name: string): string => resolved(element.parentElement!, `var(--${name})`);
  return {
    ground: of("ground"),
    ink: of("ink"),
    soft: of("soft"),
    rule: of("rule"),
    accent: of("accent"),
    font: getComputedStyle(element).fontFamily,
  };
}
