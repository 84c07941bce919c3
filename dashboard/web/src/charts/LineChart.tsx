/** Lines over iterations, drawn by uPlot; the cursors of charts with one `sync` move together. */

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
}

const HEIGHT = 170;

export function LineChart({ title, lines, sync, integers = false, burnIn = 0, text = format.number, rest }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  /** The iterations that somebody looks at more closely: they stay while more come. */
  const closer = useRef<Span>();
  /** What there is at the cursor; undefined while it is elsewhere. */
  const [pointed, setPointed] = useState<string>();
  const dark = useDark();
  const data = useMemo(() => aligned(lines), [lines]);
  const labels = lines.map((line) => line.label).join("\n");
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
        x: { time: false, range: (_, low, high) => (low === high ? [low - 1, high + 1] : [low, high]) },
        y: { range: (_, low, high) => range(low, high, integers) },
      },
      axes: [
        {
          stroke: soft,
          grid,
          ticks,
          font,
          size: 24,
          space: 60,
          incrs: WHOLE_STEPS,
          values: (_, found) => found.map(format.count),
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
          points: { show: data.x.length < 2 },
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
  }, [dark, labels, sync, integers, burnIn, data.x.length < 2]);

  useEffect(() => {
    const kept = closer.current;
    plot.current?.setData([data.x, ...data.y] as uPlot.AlignedData);
    if (kept) plot.current?.setScale("x", kept);
  }, [data]);

  const summary = lines
    .map(
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
