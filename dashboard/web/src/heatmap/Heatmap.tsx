/** The matrix of a finished run: reordered by cluster or as it was read, from the whole down to single cells. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { resolved } from "../charts/inks";
import { Button, format, useDark } from "../ui";
import { Legend } from "./Legend";
import { type Inks, type Margins, NAMED, UPRIGHT, draw } from "./draw";
import "./heatmap.css";
import { type Picture, placeAt, spotAt } from "./picture";
import { useGestures } from "./useGestures";
import { type Order, usePictures } from "./usePictures";
import {
  type Shape,
  type View,
  clusterAt,
  isWhole,
  length,
  panned,
  parsedSpan,
  same,
  spanText,
  whole,
  zoomed,
} from "./viewport";

/** How the matrix is looked at, as the address has it. */
export interface Look {
  readonly order: Order;
  readonly component: number;
  /** As {@link spanText} writes them; null: all. */
  readonly rows: string | null;
  readonly columns: string | null;
}

interface Props {
  readonly run: string;
  readonly dimension: number;
  readonly look: Look;
  readonly onLook: (look: Look) => void;
}

/** Milliseconds that the reader rests before the address is changed. */
const REST = 200;

const STEP = 0.7;

export function Heatmap({ run, dimension, look, onLook }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useDark() ? "dark" : "light";
  const [outer, setOuter] = useState({ width: 0, height: 0 });
  const [view, setView] = useState<View>();
  const [hover, setHover] = useState<{ x: number; y: number }>();
  const [focused, setFocused] = useState(false);
  const [margins, setMargins] = useState<Margins>({ left: 84, top: 26, bottom: 0 });
  const size = {
    width: Math.max(0, outer.width - margins.left),
    height: Math.max(0, outer.height - margins.top - margins.bottom),
  };
  const { order, component } = look;
  const { overview, picture, loading, problem, retry } = usePictures({ run, order, component, view, size });
  const shape = useMemo<Shape | undefined>(
    () => (picture ? { rows: picture.answer.shape[0], columns: picture.answer.shape[1] } : undefined),
    [picture?.answer.shape.join()],
  );

  // The address says where to begin; afterwards it follows, unless somebody else changes it.
  const written = useRef(look);
  useEffect(() => {
    if (!shape) return;
    const changed = look.rows !== written.current.rows || look.columns !== written.current.columns;
    if (view && !changed) return;
    written.current = look;
    setView({ rows: parsedSpan(look.rows, shape.rows), columns: parsedSpan(look.columns, shape.columns) });
  }, [shape, look.rows, look.columns]);
  useEffect(() => {
    if (!view || !shape) return;
    const rows = spanText(view.rows, shape.rows) ?? null;
    const columns = spanText(view.columns, shape.columns) ?? null;
    if (rows === look.rows && columns === look.columns) return;
    const timer = window.setTimeout(() => {
      written.current = { ...look, rows, columns };
      onLook(written.current);
    }, REST);
    return () => window.clearTimeout(timer);
  }, [view, shape, look]);

  useLayoutEffect(() => {
    const element = box.current!;
    const measured = (): void => {
      const width = Math.floor(element.clientWidth);
      const height = Math.round(Math.min(Math.max(300, 0.62 * width), 0.74 * window.innerHeight, 680));
      setOuter((now) =>
        now.width === width && now.height === height ? now : { width, height: Math.max(height, 260) },
      );
    };
    measured();
    const observer = new ResizeObserver(measured);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const shown = view ?? (shape && whole(shape));
  const names = picture?.answer.column_names ?? null;

  // Room for names below, where columns are wide enough for them.
  useEffect(() => {
    if (outer.width === 0) return;
    const left = outer.width < 480 ? 54 : 84;
    let bottom = 0;
    if (shown && names && size.width / length(shown.columns) >= NAMED.column) {
      const context = canvas.current!.getContext("2d")!;
      context.font = `11px ${getComputedStyle(canvas.current!).fontFamily}`;
      const longest = names.reduce((most, name) => Math.max(most, context.measureText(name).width), 0);
      bottom = longest <= size.width / length(shown.columns) - 4 ? 20 : UPRIGHT;
    }
    setMargins((now) => (now.left === left && now.bottom === bottom ? now : { left, top: 26, bottom }));
  }, [outer.width, names, shown && length(shown.columns)]);

  const place = hover && shown ? placeAt(shown, hover.x - margins.left, hover.y - margins.top, size) : undefined;
  const middle = shown && {
    row: Math.floor((shown.rows.from + shown.rows.to) / 2),
    column: Math.floor((shown.columns.from + shown.columns.to) / 2),
  };
  const mark = place ?? (focused && middle ? middle : null);

  useEffect(() => {
    if (!shown || !picture || size.width < 10) return;
    const element = canvas.current!;
    const density = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(outer.width * density), Math.round(outer.height * density)];
    if (element.width !== width) element.width = width;
    if (element.height !== height) element.height = height;
    const context = element.getContext("2d")!;
    context.setTransform(density, 0, 0, density, 0, 0);
    const pictures = overview && overview !== picture ? [overview, picture] : [picture];
    draw(context, { view: shown, pictures, size, margins, theme, inks: inksOf(element), mark });
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
  const setOrder = (to: Order): void => onLook({ ...look, order: to });

  const gestures = useGestures(canvas, {
    margins,
    size,
    zoomedOut: !shown || !shape || isWhole(shown, shape),
    onZoom: (factor, at, axes) => change((now) => zoomed(now, shape!, size, factor, at, axes)),
    onPan: (right, down) => change((now) => panned(now, shape!, right, down)),
    onHover: setHover,
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = event.shiftKey ? 0.5 : 0.1;
    const moves: Record<string, () => void> = {
      "+": () => zoom(STEP),
      "=": () => zoom(STEP),
      "-": () => zoom(1 / STEP),
      _: () => zoom(1 / STEP),
      "0": () => change(() => whole(shape!)),
      Home: () => change(() => whole(shape!)),
      ArrowLeft: () => change((now) => panned(now, shape!, -stepped(now.columns, far), 0)),
      ArrowRight: () => change((now) => panned(now, shape!, stepped(now.columns, far), 0)),
      ArrowUp: () => change((now) => panned(now, shape!, 0, -stepped(now.rows, far))),
      ArrowDown: () => change((now) => panned(now, shape!, 0, stepped(now.rows, far))),
    };
    const move = moves[event.key];
    if (!move || !shape) return;
    event.preventDefault();
    move();
  };

  // One key from anywhere on the page.
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const at = event.target as HTMLElement;
      if (event.key !== "o" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || at.isContentEditable) return;
      setOrder(order === "reordered" ? "original" : "reordered");
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [order, look]);

  const told = mark && picture ? readOut(overview, picture, mark.row, mark.column) : [];
  const summary = shown && shape && picture ? summarised(shown, shape, picture) : "Being read.";
  const dead = !shape;
  return (
    <div class="heatmap">
      <div class="heatmap-bar">
        <fieldset class="segments">
          <legend class="spoken">Order of rows and columns</legend>
          {(["reordered", "original"] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="order" checked={order === each} onChange={() => setOrder(each)} />
              <span>{each === "reordered" ? "By cluster" : "As it was read"}</span>
            </label>
          ))}
        </fieldset>
        {dimension > 1 && (
          <label class="heatmap-component">
            Number of each cell{" "}
            <select
              value={component}
              onChange={(event) => onLook({ ...look, component: Number(event.currentTarget.value) })}
            >
              {Array.from({ length: dimension }, (_, i) => (
                <option key={i} value={i}>
                  {i}
                </option>
              ))}
            </select>
          </label>
        )}
        <div class="heatmap-zoom">
          <Button
            kind="quiet"
            onClick={() => zoom(STEP * STEP)}
            disabled={dead}
            aria-label="Zoom in"
            title="Zoom in (+)"
          >
            +
          </Button>
          <Button
            kind="quiet"
            onClick={() => zoom(1 / STEP / STEP)}
            disabled={dead || isWhole(shown!, shape)}
            aria-label="Zoom out"
            title="Zoom out (-)"
          >
            −
          </Button>
          <Button
            kind="quiet"
            onClick={() => change(() => whole(shape!))}
            disabled={dead || isWhole(shown!, shape)}
            title="Show the whole matrix (0)"
          >
            Whole
          </Button>
        </div>
      </div>
      <div ref={box} class="heatmap-box" data-state={problem ? "failed" : loading ? "loading" : "ready"}>
        <canvas
          ref={canvas}
          // 0 until it is measured.
          style={{ height: `${outer.height}px` }}
          class={gestures.dragging ? "dragging" : ""}
          data-whole={!shown || !shape || isWhole(shown, shape) ? "" : undefined}
          role="img"
          tabIndex={0}
          aria-label={`Heatmap of the matrix. ${summary}`}
          aria-describedby="heatmap-help"
          onKeyDown={onKeyDown}
          onFocus={(event) => setFocused(event.currentTarget.matches(":focus-visible"))}
          onBlur={() => setFocused(false)}
        />
        {!picture && !problem && <p class="heatmap-note">Reading the matrix…</p>}
        {problem && (
          <p class="heatmap-note" role="alert">
            The picture could not be had: {problem.message}{" "}
            <Button kind="quiet" onClick={retry}>
              Try again
            </Button>
          </p>
        )}
        {hover && place && told.length > 0 && <Tip at={hover} within={outer} lines={told} />}
      </div>
      <p class="heatmap-status" aria-live="polite">
        {focused && told.length > 0 ? `At the mark: ${told.join("; ")}` : summary}
      </p>
      <Legend picture={overview ?? picture} theme={theme} />
      <p class="heatmap-help" id="heatmap-help">
        Wheel, pinch or <kbd>+</kbd> <kbd>-</kbd> zoom, with Shift the columns and with Alt the rows alone; drag or the
        arrow keys move; <kbd>0</kbd> shows the whole, <kbd>o</kbd> the other order.
      </p>
    </div>
  );
}

/** A share of what is shown that moves it by a position at least. */
const stepped = (span: { from: number; to: number }, share: number): number => Math.max(share, 1 / length(span));

function inksOf(element: Element): Inks {
  return {
    ground: resolved(element.parentElement!, "var(--ground)"),
    ink: resolved(element.parentElement!, "var(--ink)"),
    soft: resolved(element.parentElement!, "var(--soft)"),
    rule: resolved(element.parentElement!, "var(--rule)"),
    accent: resolved(element.parentElement!, "var(--accent)"),
    font: getComputedStyle(element).fontFamily,
  };
}

/** What is known of a place, line by line. */
function readOut(overview: Picture | undefined, picture: Picture, row: number, column: number): string[] {
  const near = spotAt(picture, row, column);
  const spot = near ?? (overview && spotAt(overview, row, column));
  if (!spot) return [];
  const { answer } = near ? picture : overview!;
  const clustered = answer.order === "reordered";
  const along = (
    word: string,
    from: number,
    to: number,
    first: number,
    names: string[] | null,
    starts: number[],
  ): string => {
    const what =
      to - from === 1
        ? `${word} ${names?.[from - first] ?? `at position ${format.count(from)}`}`
        : `${format.plural(to - from, word)} (positions ${format.count(from)} to ${format.count(to - 1)})`;
    return clustered ? `${what}, cluster ${clusterAt(starts, from)}` : what;
  };
  const single = spot.rows.to - spot.rows.from === 1 && spot.columns.to - spot.columns.from === 1;
  const value = Number.isNaN(spot.value)
    ? "missing"
    : single
      ? format.number(spot.value)
      : `mean ${format.number(spot.value)}`;
  const lines = [
    along("row", spot.rows.from, spot.rows.to, answer.row_from, answer.row_names, answer.row_clusters),
    along(
      "column",
      spot.columns.from,
      spot.columns.to,
      answer.column_from,
      answer.column_names,
      answer.column_clusters,
    ),
    value,
  ];
  if (!single && spot.missing !== null && spot.missing > 0 && !Number.isNaN(spot.value)) {
    lines.push(`${Math.max(1, Math.round(100 * spot.missing))} % of the cells missing`);
  }
  return lines;
}

function summarised(view: View, shape: Shape, picture: Picture): string {
  const { answer } = picture;
  const clusters = (starts: number[], span: { from: number; to: number }): number =>
    clusterAt(starts, Math.ceil(span.to) - 1) - clusterAt(starts, Math.floor(span.from)) + 1;
  const shown = `${format.count(Math.round(length(view.rows)))} of ${format.plural(shape.rows, "row")} × ${format.count(Math.round(length(view.columns)))} of ${format.plural(shape.columns, "column")}`;
  const what = isWhole(view, shape)
    ? `All ${format.plural(shape.rows, "row")} × ${format.plural(shape.columns, "column")}`
    : shown;
  const order =
    answer.order === "reordered"
      ? `by cluster: ${format.plural(clusters(answer.row_clusters, view.rows), "row cluster")} × ${format.plural(clusters(answer.column_clusters, view.columns), "column cluster")}`
      : "as the file has them";
  const sample = answer.exact ? "" : " Each pixel shows a sample of its cells.";
  return `${what}, ${order}.${sample}`;
}

function Tip({
  at,
  within,
  lines,
}: {
  at: { x: number; y: number };
  within: { width: number; height: number };
  lines: string[];
}) {
  const right = at.x > within.width / 2;
  const low = at.y > within.height / 2;
  return (
    <div
      class="heatmap-tip"
      style={{
        left: right ? undefined : `${at.x + 14}px`,
        right: right ? `${within.width - at.x + 14}px` : undefined,
        top: low ? undefined : `${at.y + 14}px`,
        bottom: low ? `${within.height - at.y + 14}px` : undefined,
      }}
    >
      {lines.map((line, i) => (
        <div key={i}>{line}</div>
      ))}
    </div>
  );
}
