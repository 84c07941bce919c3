/** What a heatmap shows, as a picture for a slide: with a title, names, and what the colours mean. */
import { coloursOf } from "../classes/classes";
import { STEPS, colour, colourTable } from "./colours";
import { type Inks, draw, hatch, roomBelow } from "./draw";
import { marginsOf } from "./margins";
import type { Picture } from "./picture";
import { type Scale, legendTexts, legendTicks, shareOf } from "./scale";
import { type Pen, SvgPen } from "./svgPen";
import { type View, length } from "./viewport";

/** What is drawn. */
export interface Slide {
  readonly title: string;
  /** What part of what it is, and at which level. */
  readonly subtitle: string;
  readonly view: View;
  /** Drawn one over the other: the whole matrix first, then what is nearer. */
  readonly pictures: readonly Picture[];
  readonly trees: boolean;
}

/** As slides are, in units of which a PNG has several pixels. */
const [WIDE, HIGH, DENSITY] = [1280, 720, 2];

/** Room at the sides, above the matrix for the title, and below it for the colours. */
const [SIDE, ABOVE, BELOW] = [36, 84, 64];

/** Slides are light, whatever the page is. */
const THEME = "light";

const INKS: Inks = {
  ground: "#ffffff",
  ink: "#1b1d20",
  soft: "#5d636b",
  rule: "#e3e4e2",
  accent: "#2159c4",
  font: "Helvetica, Arial, 'Liberation Sans', sans-serif",
};

/** Categories that are named. */
const MOST = 12;

export function pngOf(slide: Slide): Promise<Blob> {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [DENSITY * WIDE, DENSITY * HIGH];
  const context = canvas.getContext("2d")!;
  context.setTransform(DENSITY, 0, 0, DENSITY, 0, 0);
  compose(context, slide);
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = INKS.ground;
  context.fillRect(0, 0, WIDE, HIGH);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser made no picture: try SVG"))), "image/png"),
  );
}

export function svgOf(slide: Slide): Blob {
  const pen = new SvgPen(DENSITY, document.createElement("canvas").getContext("2d")!);
  pen.fillStyle = INKS.ground;
  pen.fillRect(0, 0, WIDE, HIGH);
  compose(pen, slide);
  return new Blob([pen.text(WIDE, HIGH)], { type: "image/svg+xml" });
}

function compose(pen: Pen, { title, subtitle, view, pictures, trees }: Slide): void {
  const last = pictures.at(-1)!;
  const [width, height] = [WIDE - 2 * SIDE, HIGH - ABOVE - BELOW];
  pen.font = `11px ${INKS.font}`;
  const bars = { beside: !!last.classes?.rows, above: !!last.classes?.columns };
  const { left } = marginsOf(width, trees, 0, bars);
  const names = last.answer.column_names;
  const bottom = names ? roomBelow(names, (width - left) / length(view.columns), (text) => pen.measureText(text).width) : 0;
  const margins = marginsOf(width, trees, bottom, bars);
  pen.save();
  pen.translate(SIDE, ABOVE);
  const size = { width: width - margins.left, height: height - margins.top - bottom };
  draw(pen, { view, pictures, size, margins, theme: THEME, inks: INKS, mark: null, found: undefined });
  pen.restore();
  pen.textAlign = "left";
  pen.textBaseline = "alphabetic";
  for (const [text, font, ink, y] of [
    [title, `600 22px ${INKS.font}`, INKS.ink, 42],
    [subtitle, `14px ${INKS.font}`, INKS.soft, 66],
  ] as const) {
    pen.font = font;
    pen.fillStyle = ink;
    pen.fillText(text, SIDE, y);
  }
  pen.save();
  pen.translate(SIDE + margins.left, HIGH - BELOW + 18);
  legend(pen, last, size.width);
  pen.restore();
}

/** What the colours mean: a ramp with its values, or a colour for each category. */
function legend(pen: Pen, picture: Picture, room: number): void {
  const { scale, missing } = picture;
  pen.font = `12px ${INKS.font}`;
  let right = scale.names ? categories(pen, scale, scale.names, room) : ramp(pen, scale);
  if (missing?.some((share) => share > 0)) {
    pen.save();
    pen.translate(right, 0);
    pen.beginPath();
    pen.rect(0, 0, 14, 12);
    pen.clip();
    hatch(pen, { width: 14, height: 12 }, INKS);
    pen.restore();
    right = said(pen, "missing", right + 20);
  }
  const unit = meaningOf(scale);
  if (unit !== "") right = said(pen, unit, right);
  const known = picture.classes?.rows ?? picture.classes?.columns;
  if (!known || scale.names) return;
  pen.save();
  pen.translate(right + 12, 0);
  categories(pen, coloursOf(known), known.names, room - right - 12);
  pen.restore();
}

/** A text beside the ramp; where the next thing begins. */
function said(pen: Pen, text: string, x: number): number {
  pen.fillStyle = INKS.soft;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillText(text, x, 6);
  return x + pen.measureText(text).width + 24;
}

function ramp(pen: Pen, scale: Scale): number {
  const ticks = legendTicks(scale, 5);
  if (ticks.length === 0) return 0;
  const width = 320;
  const stripe = document.createElement("canvas");
  [stripe.width, stripe.height] = [STEPS, 1];
  const image = new ImageData(STEPS, 1);
  const table = colourTable(THEME, scale.kind);
  for (let i = 0; i < STEPS; i++) image.data.set([table[3 * i]!, table[3 * i + 1]!, table[3 * i + 2]!, 255], 4 * i);
  stripe.getContext("2d")!.putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = true;
  pen.drawImage(stripe, 0, 0, width, 12);
  pen.fillStyle = INKS.ink;
  pen.textBaseline = "alphabetic";
  const { texts, crowded } = legendTexts(scale, ticks);
  ticks.forEach(({ at }, i) => {
    if (crowded && i % 2 === 1) return;
    pen.textAlign = i === 0 ? "left" : i === ticks.length - 1 ? "right" : "center";
    pen.fillText(texts[i]!, at * width, 28);
  });
  return width + 24;
}

function categories(pen: Pen, scale: Scale, names: readonly string[], room: number): number {
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  let x = 0;
  for (const [category, name] of names.slice(0, MOST).entries()) {
    const wide = 18 + pen.measureText(name).width + 16;
    if (x + wide > room) break;
    pen.fillStyle = colour(THEME, shareOf(scale, category), scale.kind);
    pen.fillRect(x, 0, 12, 12);
    pen.fillStyle = INKS.ink;
    pen.fillText(name, x + 18, 6);
    x += wide;
  }
  return x + 8;
}

/** What the values are, and how the colours are spread over them. */
function meaningOf({ unit, spread, names }: Scale): string {
  if (names) return "";
  if (unit === "multiple") return "times the expected count";
  if (unit === "share") return "share of ones";
  const of = unit === "count" ? "mean count" : "value";
  return spread === "rank" ? `${of}, colours by rank` : of;
}
