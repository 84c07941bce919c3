/** What draws a heatmap on a canvas, as lines of SVG: the part of a canvas that the drawing needs. */

/** The part of a canvas that the drawing needs. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "beginPath"
  | "clearRect"
  | "clip"
  | "fill"
  | "fillRect"
  | "fillText"
  | "getTransform"
  | "lineTo"
  | "measureText"
  | "moveTo"
  | "rect"
  | "restore"
  | "rotate"
  | "save"
  | "stroke"
  | "strokeRect"
  | "translate"
  | "fillStyle"
  | "font"
  | "globalAlpha"
  | "imageSmoothingEnabled"
  | "lineWidth"
  | "strokeStyle"
  | "textAlign"
  | "textBaseline"
> & {
  drawImage(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void;
};

interface State {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  globalAlpha: number;
  imageSmoothingEnabled: boolean;
  /** Turned by so much, then moved. */
  x: number;
  y: number;
  angle: number;
  clip: string | undefined;
}

const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: "middle", right: "end" };

/** How far below the middle of its letters a text stands on its line, in parts of its size. */
const MIDDLE = 0.35;

export class SvgPen implements Pen {
  private now: State = {
    fillStyle: "#000",
    strokeStyle: "#000",
    lineWidth: 1,
    font: "11px sans-serif",
    textAlign: "left",
    textBaseline: "alphabetic",
    globalAlpha: 1,
    imageSmoothingEnabled: true,
    x: 0,
    y: 0,
    angle: 0,
    clip: undefined,
  };
  private readonly before: State[] = [];
  private readonly lines: string[] = [];
  private readonly clips: string[] = [];
  private path: string[] = [];

  /**
   * @param density Pixels of an image for each unit, for what is drawn as one.
   * @param measuring Knows how wide a text is.
   */
  constructor(
    private readonly density: number,
    private readonly measuring: CanvasRenderingContext2D,
  ) {}

  /** The picture as a file. */
  text(width: number, height: number): string {
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
      ...(this.clips.length > 0 ? [`<defs>${this.clips.join("")}</defs>`] : []),
      ...this.lines,
      "</svg>\n",
    ].join("\n");
  }

  save(): void {
    this.before.push({ ...this.now });
  }

  restore(): void {
    this.now = this.before.pop() ?? this.now;
  }

  translate(x: number, y: number): void {
    const [cos, sin] = [Math.cos(this.now.angle), Math.sin(this.now.angle)];
    this.now.x += cos * x - sin * y;
    this.now.y += sin * x + cos * y;
  }

  rotate(angle: number): void {
    this.now.angle += angle;
  }

  getTransform(): DOMMatrix {
    return { a: this.density } as DOMMatrix;
  }

  beginPath(): void {
    this.path = [];
  }

  moveTo(x: number, y: number): void {
    this.path.push(`M${short(x)} ${short(y)}`);
  }

  lineTo(x: number, y: number): void {
    this.path.push(`L${short(x)} ${short(y)}`);
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`);
  }

  clip(): void {
    const id = `c${this.clips.length}`;
    this.clips.push(`<clipPath id="${id}"${this.around()}><path d="${this.path.join("")}"${this.moved()}/></clipPath>`);
    this.now.clip = id;
  }

  fill(): void {
    this.put("path", `d="${this.path.join("")}" fill="${this.now.fillStyle}"`);
  }

  stroke(): void {
    this.put("path", `d="${this.path.join("")}" fill="none" ${this.line()}`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.put("rect", `${box(x, y, width, height)} fill="${this.now.fillStyle}"`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.put("rect", `${box(x, y, width, height)} fill="none" ${this.line()}`);
  }

  /** Nothing was drawn below that would shine through. */
  clearRect(): void {}

  fillText(text: string, x: number, y: number): void {
    const { font, fillStyle, textAlign, textBaseline } = this.now;
    const { weight, size, family } = fontOf(font);
    const anchor = ANCHORS[textAlign];
    const down = textBaseline === "middle" ? MIDDLE * size : 0;
    const words = [
      `x="${short(x)}" y="${short(y + down)}" fill="${fillStyle}" font-size="${size}" font-family="${escaped(family)}"`,
      ...(weight ? [`font-weight="${weight}"`] : []),
      ...(anchor ? [`text-anchor="${anchor}"`] : []),
    ];
    this.put("text", words.join(" "), escaped(text));
  }

  measureText(text: string): TextMetrics {
    this.measuring.font = this.now.font;
    return this.measuring.measureText(text);
  }

  drawImage(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
    const sharp = this.now.imageSmoothingEnabled ? "" : ' style="image-rendering:pixelated"';
    const place = `${box(x, y, width, height)} preserveAspectRatio="none"${sharp}`;
    this.put("image", `${place} ${attribute("href", image.toDataURL("image/png"))}`);
  }

  set fillStyle(to: string | CanvasGradient | CanvasPattern) {
    this.now.fillStyle = String(to);
  }

  get fillStyle(): string {
    return this.now.fillStyle;
  }

  set strokeStyle(to: string | CanvasGradient | CanvasPattern) {
    this.now.strokeStyle = String(to);
  }

  get strokeStyle(): string {
    return this.now.strokeStyle;
  }

  set lineWidth(to: number) {
    this.now.lineWidth = to;
  }

  get lineWidth(): number {
    return this.now.lineWidth;
  }

  set font(to: string) {
    this.now.font = to;
  }

  get font(): string {
    return this.now.font;
  }

  set textAlign(to: CanvasTextAlign) {
    this.now.textAlign = to;
  }

  get textAlign(): CanvasTextAlign {
    return this.now.textAlign;
  }

  set textBaseline(to: CanvasTextBaseline) {
    this.now.textBaseline = to;
  }

  get textBaseline(): CanvasTextBaseline {
    return this.now.textBaseline;
  }

  set globalAlpha(to: number) {
    this.now.globalAlpha = to;
  }

  get globalAlpha(): number {
    return this.now.globalAlpha;
  }

  set imageSmoothingEnabled(to: boolean) {
    this.now.imageSmoothingEnabled = to;
  }

  get imageSmoothingEnabled(): boolean {
    return this.now.imageSmoothingEnabled;
  }

  /** A clip is in the units of the page, and what it cuts may be moved: it is cut in a group of its own. */
  private put(name: string, words: string, text?: string): void {
    const alpha = this.now.globalAlpha === 1 ? "" : ` opacity="${this.now.globalAlpha}"`;
    const open = `<${name} ${words}${alpha}${this.moved()}`;
    const element = text === undefined ? `${open}/>` : `${open}>${text}</${name}>`;
    this.lines.push(this.now.clip === undefined ? element : `<g${this.around()}>${element}</g>`);
  }

  private around(): string {
    return this.now.clip === undefined ? "" : ` clip-path="url(#${this.now.clip})"`;
  }

  private moved(): string {
    const { x, y, angle } = this.now;
    const turned = angle === 0 ? "" : ` rotate(${short((180 * angle) / Math.PI)})`;
    return x === 0 && y === 0 && angle === 0 ? "" : ` transform="translate(${short(x)} ${short(y)})${turned}"`;
  }

  private line(): string {
    return `stroke="${this.now.strokeStyle}" stroke-width="${short(this.now.lineWidth)}"`;
  }
}

/** "600 20px Arial, sans-serif" in parts. */
function fontOf(font: string): { weight: string; size: number; family: string } {
  const [, weight = "", size = "11", family = "sans-serif"] = /^(?:(\w+) )?([\d.]+)px (.*)$/.exec(font) ?? [];
  return { weight, size: Number(size), family };
}

const short = (value: number): number => Math.round(100 * value) / 100;

const box = (x: number, y: number, width: number, height: number): string =>
  `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;

const attribute = (name: string, value: string): string => `${name}="${value}"`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
