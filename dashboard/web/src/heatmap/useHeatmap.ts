/** A matrix that is looked at: what is shown of it, where the reader points, and what the keys do. */

import { type RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Level } from "../levels/level";
import { regrouped } from "../levels/regrouped";
import { useDark } from "../ui/theme";
import { type Found, roomBelow } from "./draw";
import { type Margins, marginsOf } from "./margins";
import { type Order, type Picture, placeAt } from "./picture";
import type { Spread } from "./scale";
import { useDrawing } from "./useDrawing";
import { useGestures } from "./useGestures";
import { type Keyboard, useKeyboard } from "./useKeyboard";
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
  /** Whether counts are shown beside what is expected; a picture may have been made so. */
  readonly compare?: boolean;
  /** As the address has it. */
  readonly part: Part;
  readonly onPart: (part: Part) => void;
  /** The level that the clusters are shown at; undefined: all of the run, as the picture has them. */
  readonly level?: Level | undefined;
  /** Known classes, which stand beside a matrix that is sorted by cluster. */
  readonly classes?: Picture["classes"];
  /** What was looked for, by position in the picture. */
  readonly found?: Found | undefined;
  /** Whether the trees of the clusters stand beside the matrix where there is room. */
  readonly trees?: boolean;
  /** Height of the drawing for its width, and for the room that names below the matrix take. */
  readonly tall: (width: number, below: number) => number;
}

export interface Heatmap extends Pictures, Omit<Keyboard, "at"> {
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
  readonly dragging: boolean;
  readonly zoom: (factor: number) => void;
  readonly showWhole: () => void;
}

/** Milliseconds that the reader rests before the address is changed. */
const REST = 200;

export function useHeatmap(asked: Asked): Heatmap {
  const { source, order, component, spread, compare = false, part, onPart, level, classes, trees = false, found, tall } = asked;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useDark() ? "dark" : "light";
  const bars = { beside: order === "reordered" && !!classes?.rows, above: order === "reordered" && !!classes?.columns };
  const [margins, setMargins] = useState<Margins>(() => marginsOf(Infinity, trees, 0, bars));
  const outer = useMeasured(box, (width) => tall(width, margins.bottom), margins.bottom);
  const [view, setView] = useState<View>();
  const [hover, setHover] = useState<{ x: number; y: number }>();
  const size = {
    width: Math.max(0, outer.width - margins.left),
    height: Math.max(0, outer.height - margins.top - margins.bottom),
  };
  const regrouped = useRegrouped(usePictures({ source, order, component, spread, compare, view, size }), level);
  const pictures = useClassed(regrouped, order === "reordered" ? classes : undefined);
  const { picture } = pictures;
  const shape = useMemo<Shape | undefined>(
    () => (picture ? { rows: picture.answer.shape[0]!, columns: picture.answer.shape[1]! } : undefined),
    [picture?.answer.shape.join()],
  );
  useAddress(part, onPart, view, shape, setView);

  const shown = view ?? (shape && whole(shape));
  const names = picture?.answer.column_names ?? null;

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

  useEffect(() => {
    if (outer.width === 0) return;
    const context = canvas.current!.getContext("2d")!;
    context.font = `11px ${getComputedStyle(canvas.current!).fontFamily}`;
    const measure = (text: string): number => context.measureText(text).width;
    const bottom = shown && names ? roomBelow(names, size.width / length(shown.columns), measure) : 0;
    const next = marginsOf(outer.width, trees, bottom, bars);
    const same = (now: Margins): boolean => now.left === next.left && now.top === next.top && now.bottom === bottom;
    setMargins((now) => (same(now) ? now : next));
  }, [outer.width, names, trees, bars.beside, bars.above, shown && length(shown.columns)]);

  const place = hover && shown ? placeAt(shown, hover.x - margins.left, hover.y - margins.top, size) : undefined;
  const { at, ...keyboard } = useKeyboard({ view: shown, shape, picture, change, zoom, showWhole });
  const mark = place ?? at ?? null;

  useDrawing(canvas, outer, shown, pictures, { size, margins, theme, mark, found });
  const { dragging } = useGestures(canvas, {
    margins,
    size,
    zoomedOut: !shown || !shape || isWhole(shown, shape),
    onZoom: (factor, at, axes) => change((now) => zoomed(now, shape!, size, factor, at, axes)),
    onPan: (right, down) => change((now) => panned(now, shape!, right, down)),
    onHover: setHover,
  });

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
    dragging,
    zoom,
    showWhole,
    ...keyboard,
  };
}

/** Pictures with known classes beside them. */
function useClassed(pictures: Pictures, classes: Picture["classes"]): Pictures {
  const { rows, columns } = classes ?? {};
  return useMemo(() => {
    if (!rows && !columns) return pictures;
    const { overview, picture } = pictures;
    const classed = (each: Picture | undefined): Picture | undefined => each && { ...each, classes: { rows, columns } };
    const whole = classed(overview);
    return { ...pictures, overview: whole, picture: picture === overview ? whole : classed(picture) };
  }, [pictures.overview, pictures.picture, pictures.loading, pictures.problem, rows, columns]);
}

/** Pictures with the clusters of a level. */
function useRegrouped(pictures: Pictures, level: Level | undefined): Pictures {
  const at = (picture: Picture | undefined): Picture | undefined =>
    picture && level ? regrouped(picture, level) : picture;
  const overview = useMemo(() => at(pictures.overview), [pictures.overview, level]);
  const picture = useMemo(
    () => (pictures.picture === pictures.overview ? overview : at(pictures.picture)),
    [pictures.picture, overview, level],
  );
  return { ...pictures, overview, picture };
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
