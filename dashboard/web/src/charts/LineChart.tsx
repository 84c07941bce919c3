/** Lines over iterations, or over numbers of clusters, drawn by uPlot; the cursors of charts with one `sync` move together. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./charts.css";
import * as format from "../ui/format";
import { useDark } from "../ui/theme";
import { type Line, aligned, lastOf, range } from "./series";
import { resolved } from "./inks";
import { WHOLE_STEPS, tickTexts } from "./ticks";

export const SERIES = 8;

interface Props {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly sync: string;
  /** Whether values are counts. */
  readonly integers?: boolean;
  /** Iterations at the start that are shaded. */
  readonly burnIn?: number;
  readonly text?: (value: number) => string;
  /** What stands beside the title while nothing is pointed at; the last values by default. */
  readonly rest?: string;
  /** What the lines run over, if not iterations. */
  readonly over?: Over;
}

/** Numbers on a logarithmic axis, some of them marked. */
export interface Over {
  readonly noun: string;
  /** Of the values; by default as far as they go. */
  readonly range?: readonly [number, number] | undefined;
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly at: number;
  readonly text: string;
  /** The one that counts. */
  readonly main: boolean;
}

const HEIGHT = 170;

export function LineChart({ title, lines, sync, integers = false, burnIn = 0, text = format.number, rest, over }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  /** The iterations that somebody looks at more closely: they stay while more come. */
  const closer = useRef<Span>();
  /** What there is at the cursor; undefined while it is elsewhere. */
  const [pointed, setPointed] = useState<string>();
  const dark = useDark();
  const data = useMemo(() => aligned(lines), [lines]);
  const labels = lines.map((line) => line.label).join("\n");
  const marked = over?.marks.map(({ at, text: word }) => `${word} ${at}`).join();
  const now = lines.map((line) => lastOf(line));
  const resting = now.some(Boolean)
    ? now.map((last) => (last ? text(last.y) : format.NONE)).join(" · ")
    : "nothing yet";

  useLayoutEffect(() => {
    const element = box.current!;
    const style = getComputedStyle(element);
    const soft = resolved(element, "var(--soft)");
    const faint = resolved(element, "color-mix(in srgb, var(--soft) 18%, transparent)");
    const grid = { stroke: faint, width: 1 };
    const ticks = { show: false };
    const font = `11px ${style.fontFamily}`;
    const options: uPlot.Options = {
      width: Math.max(element.clientWidth, 120),
      height: HEIGHT,
      legend: { show: false },
      cursor: { sync: { key: sync }, y: false, drag: { x: true, y: false }, points: { size: 6 } },
      scales: {
        x: {
          time: false,
          range: (_, low, high) => (low === high ? [over ? low / 2 : low - 1, high + 1] : [low, high]),
          ...(over ? { distr: 3, log: 2 } : {}),
        },
        y: { range: (_, low, high) => (over?.range ? [...over.range] : range(low, high, integers)) },
      },
      axes: [
        {
          stroke: soft,
          grid,
          ticks,
          font,
          size: 24,
          space: 60,
          ...(over ? {} : { incrs: WHOLE_STEPS }),
          values: (_, found) => found.map((each) => (each === null ? null : format.count(each))),
        },
        {
          stroke: soft,
          grid,
          ticks,
          font,
          size: (_, texts) => 14 + 6.5 * Math.max(3, ...(texts ?? []).map((each) => each.length)),
          space: 32,
          values: (_, found) => tickTexts(found),
          ...(integers ? { incrs: WHOLE_STEPS } : {}),
        },
      ],
      series: [
        {},
        ...labels.split("\n").map((_, i) => ({
          stroke: resolved(element, `var(--series-${i % SERIES})`),
          width: 1.5,
          dash: i >= SERIES ? [4, 3] : [],
          spanGaps: true,
          points: { show: data.x.length < 2 || (over !== undefined && data.x.length <= 40), size: 5 },
        })),
      ],
      hooks: {
        drawClear: [
          (u) => {
            if (burnIn <= 0) return;
            const left = u.bbox.left;
            const right = Math.min(u.valToPos(burnIn, "x", true), left + u.bbox.width);
            if (right <= left) return;
            u.ctx.fillStyle = faint;
            u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
          },
        ],
        draw: [
          (u) => over?.marks.forEach((mark) => drawMark(u, mark, resolved(element, mark.main ? "var(--accent)" : "var(--soft)"), font)),
        ],
        setScale: [
          (u, key) => {
            if (key === "x") closer.current = partOf(u);
          },
        ],
        setCursor: [
          (u) => {
            const at = u.cursor.idx;
            const told = (values: uPlot.AlignedData[number]): string =>
              values[at!] == null ? format.NONE : text(values[at!]!);
            setPointed(
              at === null || at === undefined || u.cursor.left! < 0
                ? undefined
                : `${format.count(u.data[0][at])}: ${u.data.slice(1).map(told).join(" · ")}`,
            );
          },
        ],
      },
    };
    const kept = closer.current;
    const made = new uPlot(options, [data.x, ...data.y] as uPlot.AlignedData, element);
    if (kept) made.setScale("x", kept);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
    // New data alone is set below.
  }, [dark, labels, sync, integers, burnIn, marked, data.x.length < 2]);

  useEffect(() => {
    const kept = closer.current;
    plot.current?.setData([data.x, ...data.y] as uPlot.AlignedData);
    if (kept) plot.current?.setScale("x", kept);
  }, [data]);

  const marks = over?.marks.map(({ at, text: word }) => `${word}: ${format.count(at)} ${over.noun}`).join("; ");
  const summary = over
    ? [rest, marks].filter(Boolean).join(". ")
    : lines.map(
      (line, i) =>
        `${lines.length > 1 ? `${line.label}: ` : ""}${now[i] ? `${text(now[i].y)} at iteration ${format.count(now[i].x)}` : "nothing yet"}`,
    )
    .join("; ");
  return (
    <figure class="chart">
      <figcaption>
        {title} <span>{pointed ?? rest ?? resting}</span>
      </figcaption>
      <div ref={box} class="chart-box" role="img" aria-label={`${title}. ${summary}.`} />
    </figure>
  );
}

interface Span {
  readonly min: number;
  readonly max: number;
}

/** A line from top to bottom, with its word beside it where there is room. */
function drawMark({ ctx, bbox, valToPos }: uPlot, { at, text, main }: Mark, colour: string, font: string): void {
  const x = Math.round(valToPos(at, "x", true));
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = (main ? 1.5 : 1) * devicePixelRatio;
  ctx.setLineDash(main ? [] : [4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.font = font.replace(/^[\d.]+/, (size) => String(Number(size) * devicePixelRatio));
  const room = 4 * devicePixelRatio;
  const left = x + room + ctx.measureText(text).width <= bbox.left + bbox.width;
  ctx.textAlign = left ? "left" : "right";
  ctx.textBaseline = main ? "top" : "bottom";
  ctx.fillText(text, left ? x + room : x - room, main ? bbox.top : bbox.top + bbox.height);
  ctx.restore();
}

/** The iterations that are shown, where these are a part of those that there are. */
function partOf({ data: [x], scales }: uPlot): Span | undefined {
  const { min, max } = scales["x"]!;
  if (x.length < 2 || min == null || max == null) return undefined;
  return min > x[0]! || max < x.at(-1)! ? { min, max } : undefined;
}

/** Which colour is whose. */
export function Key({ labels }: { readonly labels: readonly string[] }) {
  return (
    <ul class="chart-key">
      {labels.map((label, i) => (
        <li key={label}>
          <i class={`series-${i % SERIES}${i >= SERIES ? " dashed" : ""}`} />
          {label}
        </li>
      ))}
    </ul>
  );
}
