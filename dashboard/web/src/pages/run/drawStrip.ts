/** How the strip of a timeline is drawn. */
import type { IterationTimeline } from "../../api/types";
import { resolved } from "../../charts/inks";
import { colour, inkOn } from "../../heatmap/colours";
import { format } from "../../ui";
import { stragglers } from "./timeline";

type Theme = "light" | "dark";

const ROW = 14;
const MOST_HEIGHT = 280;
const BELOW = 18;

/** Room for the numbers of the shards. */
export const LEFT = 44;

interface Layout {
  readonly shards: number;
  readonly row: number;
  readonly column: number;
  /** Between cells, where these are large. */
  readonly gap: number;
  readonly height: number;
  /** Seconds of the slowest shard. */
  readonly longest: number;
}

export function layoutOf(items: readonly IterationTimeline[], width: number): Layout {
  const shards = Math.max(1, ...items.map((item) => item.shards.length));
  const row = Math.max(2, Math.min(ROW, Math.floor(MOST_HEIGHT / shards)));
  const column = Math.min(26, (width - LEFT) / items.length);
  // Not spread into one call: it takes some ten thousand arguments, and there may be more shards.
  const longest = items.flatMap((item) => item.shards).reduce((most, shard) => Math.max(most, shard.seconds), 1e-9);
  return { shards, row, column, gap: row > 4 && column > 4 ? 1 : 0, height: shards * row + BELOW, longest };
}

export function drawStrip(
  element: HTMLCanvasElement,
  width: number,
  items: readonly IterationTimeline[],
  layout: Layout,
  chosen: number,
  theme: Theme,
): void {
  const { shards, row, column, gap, height } = layout;
  const density = window.devicePixelRatio || 1;
  element.width = Math.round(width * density);
  element.height = Math.round(height * density);
  const context = element.getContext("2d")!;
  context.scale(density, density);
  context.font = `11px ${getComputedStyle(element).fontFamily}`;
  drawNumbers(context, items, layout, resolved(element.parentElement!, "var(--soft)"));
  items.forEach((item, i) => drawIteration(context, item, LEFT + i * column, layout, theme));
  context.strokeStyle = resolved(element.parentElement!, "var(--accent)");
  context.lineWidth = 2;
  context.strokeRect(LEFT + chosen * column - 1, 1, column + 1 - gap, shards * row - 1);
}

/** Numbers of the shards beside their rows, and of iterations below their columns. */
function drawNumbers(
  context: CanvasRenderingContext2D,
  items: readonly IterationTimeline[],
  { shards, row, column, height }: Layout,
  ink: string,
): void {
  context.fillStyle = ink;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (let shard = 0; shard < shards; shard += Math.max(1, Math.ceil(13 / row))) {
    context.fillText(String(shard), LEFT - 8, (shard + 0.5) * row);
  }
  context.textBaseline = "alphabetic";
  context.textAlign = "center";
  const every = Math.max(1, Math.ceil(48 / column));
  items.forEach((item, i) => {
    if (i % every === 0) context.fillText(format.count(item.iteration), LEFT + (i + 0.5) * column, height - 4);
  });
}

/** A cell for each shard, with a mark in one that was slow or sent again. */
function drawIteration(
  context: CanvasRenderingContext2D,
  item: IterationTimeline,
  x: number,
  { row, column, gap, longest }: Layout,
  theme: Theme,
): void {
  const slow = stragglers(item.shards);
  item.shards.forEach((shard, at) => {
    const share = shard.seconds / longest;
    context.fillStyle = colour(theme, share);
    context.fillRect(x, at * row, Math.max(1, column - gap), row - gap);
    if (row < 7 || column < 5) return;
    const [middle, down] = [x + (column - gap) / 2, at * row + (row - gap) / 2];
    context.fillStyle = context.strokeStyle = inkOn(theme, share);
    context.beginPath();
    context.arc(middle, down, Math.min(3, column / 3), 0, 2 * Math.PI);
    if (shard.redelivered > 0) context.stroke();
    else if (slow.has(shard.shard)) context.fill();
  });
}
