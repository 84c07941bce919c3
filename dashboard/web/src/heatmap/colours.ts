/**
 * Colours of values, interpolated in OKLab so that equal steps of a value look like equal steps.
 *
 * Both scales start from the page's own ground: a diverging one fades to it in the middle, a sequential one at its low
 * end. Hence one version for the light theme and one for the dark.
 */

export type Theme = "light" | "dark";

/** Along a line of values, or a colour for each of so many categories. */
export type Kind = "sequential" | "diverging" | `categories-${number}`;

type Stops = readonly (readonly [number, number, number])[];

/** Lightness, chroma and hue in degrees, at even distances; middle stops keep chroma so that no step turns grey. */
const SEQUENTIAL: Record<Theme, Stops> = {
  light: [
    [0.965, 0.025, 105],
    [0.86, 0.08, 150],
    [0.72, 0.095, 190],
    [0.57, 0.098, 228],
    [0.42, 0.105, 265],
    [0.27, 0.085, 288],
  ],
  dark: [
    [0.225, 0.045, 285],
    [0.37, 0.095, 268],
    [0.52, 0.095, 232],
    [0.67, 0.095, 195],
    [0.82, 0.09, 155],
    [0.955, 0.06, 108],
  ],
};

const DIVERGING: Record<Theme, Stops> = {
  light: [
    [0.36, 0.105, 262],
    [0.53, 0.13, 252],
    [0.76, 0.085, 242],
    [0.965, 0.004, 90],
    [0.79, 0.095, 62],
    [0.57, 0.145, 42],
    [0.39, 0.115, 30],
  ],
  dark: [
    [0.87, 0.075, 225],
    [0.68, 0.125, 240],
    [0.46, 0.105, 254],
    [0.235, 0.006, 260],
    [0.47, 0.105, 38],
    [0.69, 0.14, 50],
    [0.88, 0.09, 75],
  ],
};

/** Hues of categories, neighbours far apart; of two with like hues one is lighter. */
const HUES = [250, 55, 155, 330, 95, 205, 25, 290] as const;

/** Lightness and chroma of the categories of a turn through the hues. */
const TURNS: Record<Theme, readonly (readonly [lightness: number, chroma: number])[]> = {
  light: [
    [0.66, 0.13],
    [0.84, 0.08],
    [0.48, 0.11],
  ],
  dark: [
    [0.66, 0.12],
    [0.46, 0.09],
    [0.84, 0.08],
  ],
};

export const STEPS = 256;

const tables = new Map<string, Uint8ClampedArray>();

/** Red, green and blue of each step, one after another. */
export function colourTable(theme: Theme, kind: Kind = "sequential"): Uint8ClampedArray {
  const key = `${theme} ${kind}`;
  const table = tables.get(key) ?? made(theme, kind);
  tables.set(key, table);
  return table;
}

function made(theme: Theme, kind: Kind): Uint8ClampedArray {
  if (kind === "sequential") return blended(SEQUENTIAL[theme]);
  if (kind === "diverging") return blended(DIVERGING[theme]);
  return flat(theme, Number(kind.slice("categories-".length)));
}

/** A stretch of one colour for each category. */
function flat(theme: Theme, categories: number): Uint8ClampedArray {
  const table = new Uint8ClampedArray(3 * STEPS);
  for (let step = 0; step < STEPS; step++) {
    const category = Math.min(categories - 1, Math.floor((step / STEPS) * categories));
    const angle = (HUES[category % HUES.length]! * Math.PI) / 180;
    const turns = TURNS[theme];
    const [lightness, chroma] = turns[Math.floor(category / HUES.length) % turns.length]!;
    table.set(encoded(lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)), 3 * step);
  }
  return table;
}

function blended(stops: Stops): Uint8ClampedArray {
  const lab = stops.map(([lightness, chroma, hue]) => {
    const angle = (hue * Math.PI) / 180;
    return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)] as const;
  });
  const table = new Uint8ClampedArray(3 * STEPS);
  for (let step = 0; step < STEPS; step++) {
    const at = (step / (STEPS - 1)) * (lab.length - 1);
    const left = Math.min(Math.floor(at), lab.length - 2);
    const mixed = [0, 1, 2].map((c) => lab[left]![c]! + (at - left) * (lab[left + 1]![c]! - lab[left]![c]!));
    table.set(encoded(mixed[0]!, mixed[1]!, mixed[2]!), 3 * step);
  }
  return table;
}

/** sRGB, 0 to 255, of an OKLab colour. */
function encoded(lightness: number, a: number, b: number): number[] {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((linear) => {
    const light = Math.min(1, Math.max(0, linear));
    return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
  });
}

/** The step of a share, 0 to 1. */
export const stepOf = (share: number): number => Math.min(STEPS - 1, Math.max(0, Math.round(share * (STEPS - 1))));

/** `rgb(...)` of a share. */
export function colour(theme: Theme, share: number, kind: Kind = "sequential"): string {
  const table = colourTable(theme, kind);
  const at = 3 * stepOf(share);
  return `rgb(${table[at]} ${table[at + 1]} ${table[at + 2]})`;
}

/** Black or white, whichever is easier to read on a share's colour. */
export function inkOn(theme: Theme, share: number, kind: Kind = "sequential"): string {
  const table = colourTable(theme, kind);
  const at = 3 * stepOf(share);
  const [red, green, blue] = [0, 1, 2].map((c) => {
    const value = table[at + c]! / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const bright = 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  return (bright + 0.05) / 0.05 >= 1.05 / (bright + 0.05) ? "#000" : "#fff";
}
