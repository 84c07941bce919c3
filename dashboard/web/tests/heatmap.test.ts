import { describe, expect, it } from "vitest";

import { bands, fitted, fittedNames, labelled, positions } from "../src/heatmap/axes";
import { STEPS, colourTable, inkOn, stepOf } from "../src/heatmap/colours";
import { compared, multiplesOf, scaleOfMultiples } from "../src/heatmap/multiples";
import { type HeatmapAnswer, decoded, painted, placeAt, spotAt } from "../src/heatmap/picture";
import { readOut } from "../src/heatmap/readOut";
import {
  fitted as fittedTo,
  legendTicks,
  ofCategories,
  ofCounts,
  ofMultiples,
  ofShares,
  quantiles as quantilesOf,
  rank,
  shareOf,
  spreadAs,
  spreadOf,
  spreadsOf,
  written,
} from "../src/heatmap/scale";
import * as viewport from "../src/heatmap/viewport";

const shape = { rows: 20000, columns: 90 };
const size = { width: 900, height: 600 };
const all = viewport.whole(shape);

describe("the viewport", () => {
  it("zooms about a point, which stays where it is", () => {
    const view = viewport.zoomed(all, shape, size, 0.5, { x: 0.25, y: 0.75 });
    expect(viewport.length(view.rows)).toBeCloseTo(10000);
    expect(view.rows.from + 0.75 * viewport.length(view.rows)).toBeCloseTo(15000);
    expect(view.columns.from + 0.25 * viewport.length(view.columns)).toBeCloseTo(22.5);
  });

  it("zooms in and out again to the whole", () => {
    let view = all;
    for (let i = 0; i < 50; i++) view = viewport.zoomed(view, shape, size, 0.7, { x: 0.9, y: 0.1 });
    expect(viewport.isWhole(view, shape)).toBe(false);
    for (let i = 0; i < 50; i++) view = viewport.zoomed(view, shape, size, 1 / 0.7, { x: 0.9, y: 0.1 });
    expect(viewport.isWhole(view, shape)).toBe(true);
  });

  it("makes the cells of both axes readable before it goes on to single ones", () => {
    let view = all;
    const seen: { row: number; column: number }[] = [];
    for (let i = 0; i < 60; i++) {
      view = viewport.zoomed(view, shape, size, 0.7);
      seen.push({ row: size.height / viewport.length(view.rows), column: size.width / viewport.length(view.columns) });
    }
    const readable = seen.findIndex((cell) => cell.row >= 17.99 && cell.column >= 45.99);
    expect(readable).toBeGreaterThan(5);
    expect(seen[readable]!.row).toBeLessThan(19);
    expect(seen[readable]!.column).toBeLessThan(47);
    expect(viewport.length(view.rows)).toBeCloseTo(2);
    expect(viewport.length(view.columns)).toBeCloseTo(2);
  });

  it("comes to single cells on a drawing of any size", () => {
    for (let height = 100; height < 700; height += 7) {
      let view = viewport.whole({ rows: 120, columns: 12 });
      for (let i = 0; i < 40; i++)
        view = viewport.zoomed(view, { rows: 120, columns: 12 }, { width: 1121, height }, 0.7);
      expect([viewport.length(view.rows), viewport.length(view.columns)].map(Math.round)).toEqual([2, 2]);
    }
  });

  it("zooms one axis alone", () => {
    expect(viewport.zoomed(all, shape, size, 0.5, { x: 0, y: 0 }, "columns")).toEqual({
      rows: all.rows,
      columns: { from: 0, to: 45 },
    });
    expect(viewport.zoomed(all, shape, size, 0.5, { x: 0, y: 1 }, "rows")).toEqual({
      rows: { from: 10000, to: 20000 },
      columns: all.columns,
    });
  });

  it("stays within the matrix when it is moved", () => {
    const view = { rows: { from: 100, to: 200 }, columns: { from: 10, to: 20 } };
    expect(viewport.panned(view, shape, 0.5, -0.5)).toEqual({
      rows: { from: 50, to: 150 },
      columns: { from: 15, to: 25 },
    });
    expect(viewport.panned(view, shape, 100, -100)).toEqual({
      rows: { from: 0, to: 100 },
      columns: { from: 80, to: 90 },
    });
  });

  it("shows a matrix of one cell", () => {
    const one = { rows: 1, columns: 1 };
    const view = viewport.whole(one);
    expect(viewport.zoomed(view, one, size, 0.1)).toEqual(view);
    expect(viewport.panned(view, one, 1, 1)).toEqual(view);
    expect(viewport.covered(view, one)).toEqual(view);
  });

  it("finds positions under pixels, and pixels of positions", () => {
    const span = { from: 10, to: 20 };
    expect(viewport.positionAt(span, 0, 100)).toBe(10);
    expect(viewport.positionAt(span, 99.9, 100)).toBe(19);
    expect(viewport.positionAt(span, -0.1, 100)).toBeUndefined();
    expect(viewport.positionAt(span, 100, 100)).toBeUndefined();
    expect(viewport.pixelOf(span, 15, 100)).toBe(50);
    expect(placeAt({ rows: span, columns: span }, 5, 95, { width: 100, height: 100 })).toEqual({ row: 19, column: 10 });
    expect(placeAt({ rows: span, columns: span }, 5, 101, { width: 100, height: 100 })).toBeUndefined();
  });

  it("knows which cluster a position is of", () => {
    const starts = [0, 5, 6, 10];
    expect([0, 4, 5, 6, 9].map((position) => viewport.clusterAt(starts, position))).toEqual([0, 0, 1, 2, 2]);
  });

  it("is written into an address and read from it", () => {
    expect(viewport.spanText({ from: 12.3, to: 39.9 }, 90)).toBe("12-40");
    expect(viewport.spanText({ from: 0, to: 90 }, 90)).toBeUndefined();
    expect(viewport.parsedSpan("12-40", 90)).toEqual({ from: 12, to: 40 });
    expect(viewport.parsedSpan("80-400", 90)).toEqual({ from: 0, to: 90 });
    for (const none of [null, "", "x", "5-5", "9-2", "90-99", "-1-5", "1e3-5"]) {
      expect(viewport.parsedSpan(none, 90)).toEqual({ from: 0, to: 90 });
    }
  });
});

describe("colours by rank", () => {
  const quantiles = [-10, 0, 1, 2, 100];

  it("gives as many colours to each quarter of the cells", () => {
    expect(quantiles.map((value) => rank(quantiles, value))).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(rank(quantiles, 0.5)).toBeCloseTo(0.375);
    expect(rank(quantiles, 51)).toBeCloseTo(0.875);
    expect([-1e300, 1e300, Infinity].map((value) => rank(quantiles, value))).toEqual([0, 1, 1]);
  });

  it("gives a value that many cells have the middle of their ranks", () => {
    expect(rank([0, 0, 0, 1, 2], 0)).toBe(0.25);
    expect(rank([3, 3, 3], 3)).toBe(0.5);
    expect(rank([0, 0, 0, 1, 2], 0.5)).toBeCloseTo(0.625);
  });

  it("has a colour where there is no scale", () => {
    expect([rank([], 1), rank([1], 1)]).toEqual([0.5, 0.5]);
    expect(legendTicks(fittedTo([]), 5)).toEqual([]);
  });

  it("are read off a picture, of what is observed", () => {
    expect(quantilesOf(Float32Array.from([3, NaN, 1, 2, 5, 4]), 4)).toEqual([1, 2, 3, 4, 5]);
    expect(quantilesOf(Float32Array.from([-1, 2]), 2)).toEqual([-1, 0.5, 2]);
    expect(quantilesOf(Float32Array.from([NaN]), 4)).toEqual([]);
  });

  it("says where the quarters end", () => {
    expect(legendTicks({ ...fittedTo(quantiles), spread: "rank" }, 3)).toEqual([
      { at: 0, value: -10, beyond: false },
      { at: 0.5, value: 1, beyond: false },
      { at: 1, value: 100, beyond: false },
    ]);
  });

  it("writes zero where single precision missed it by a little", () => {
    const counts = fittedTo([-2.98e-8, -2.98e-8, 1, 2, 6]);
    expect(legendTicks({ ...counts, spread: "value" }, 2).map(({ value }) => value)).toEqual([0, counts.high]);
    expect(legendTicks({ ...counts, spread: "rank" }, 5)[1]!.value).toBe(0);
    expect(legendTicks(fittedTo([1e-9, 2e-9, 3e-9]), 2)[0]!.value).not.toBe(0);
  });

  it("goes from light to dark on white and from dark to light on black", () => {
    const brightness = (theme: "light" | "dark", step: number): number =>
      [0.2126, 0.7152, 0.0722].reduce((sum, weight, c) => sum + weight * colourTable(theme)[3 * step + c]!, 0);
    for (let step = 8; step < STEPS; step += 8) {
      expect(brightness("light", step)).toBeLessThan(brightness("light", step - 8));
      expect(brightness("dark", step)).toBeGreaterThan(brightness("dark", step - 8));
    }
    expect([inkOn("light", 0), inkOn("light", 1), inkOn("dark", 0), inkOn("dark", 1)]).toEqual([
      "#000",
      "#fff",
      "#fff",
      "#000",
    ]);
    expect([stepOf(-1), stepOf(0.5), stepOf(2)]).toEqual([0, 128, 255]);
  });
});

describe("colours by value", () => {
  /** Quantiles, at even distances, of numbers at even distances. */
  const even = (low: number, high: number): number[] =>
    Array.from({ length: 101 }, (_, i) => low + (i / 100) * (high - low));
  /** Of a distribution with tails as heavy as those of exp(2.5 z). */
  const heavy = even(0.005, 0.995).map((share) => Math.exp(2.5 * Math.log(share / (1 - share))));

  it("diverge from zero where values lie on both sides of it", () => {
    const scale = fittedTo(even(-4, 5));
    expect(scale.kind).toBe("diverging");
    expect(scale.low).toBe(-scale.high);
    expect(shareOf(scale, 0)).toBe(0.5);
  });

  it.each([[even(2, 9)], [even(-0.1, 9)], [[7, 7, 7]], [[0]], [[]]])("are sequential for other values", (values) => {
    const scale = fittedTo(values);
    expect(scale.kind).toBe("sequential");
    expect(scale.low).toBeLessThan(scale.high);
  });

  it("leave what is not far away visible, and say that it goes on", () => {
    const scale = fittedTo([...even(0, 1).slice(0, -1), 1e9]);
    expect(scale.high).toBeLessThanOrEqual(1);
    expect([shareOf(scale, -1), shareOf(scale, 1e9)]).toEqual([0, 1]);
    expect(legendTicks(scale, 3).map(({ beyond }) => beyond)).toEqual([true, false, true]);
  });

  it("do not clip a few cells that alone are of another value", () => {
    const scale = fittedTo([...new Array<number>(200).fill(3), 8]);
    expect([scale.low, scale.high]).toEqual([3, 8]);
  });

  it("give way to ranks for heavy tails, and for no others", () => {
    expect(fittedTo(heavy).spread).toBe("rank");
    expect(fittedTo(even(-3, 3)).spread).toBe("value");
  });

  const bright = (table: Uint8ClampedArray, step: number): number =>
    [0.2126, 0.7152, 0.0722].reduce((sum, weight, c) => {
      const value = table[3 * step + c]! / 255;
      return sum + weight * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    }, 0);

  it.each(["light", "dark"] as const)("turn in the middle, with even arms (%s)", (theme) => {
    const all = Array.from({ length: STEPS }, (_, step) => bright(colourTable(theme, "diverging"), step));
    const turn = all.indexOf(theme === "light" ? Math.max(...all) : Math.min(...all));
    expect(Math.abs(turn - STEPS / 2)).toBeLessThanOrEqual(1);
    expect(Math.abs(all[0]! - all.at(-1)!)).toBeLessThan(0.08);
  });

  it.each([
    ["light", "sequential"],
    ["light", "diverging"],
    ["dark", "sequential"],
    ["dark", "diverging"],
    ["light", "categories-20"],
    ["dark", "categories-20"],
  ] as const)("have text on each of them that can be read (%s, %s)", (theme, kind) => {
    for (let step = 0; step < STEPS; step++) {
      const ground = bright(colourTable(theme, kind), step);
      const ink = inkOn(theme, step / (STEPS - 1), kind) === "#fff" ? 1 : 0;
      expect((Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05)).toBeGreaterThanOrEqual(4.5);
    }
  });
});

/** What the server would send. */
function answer(values: number[], missing: number[] | null, more: Partial<HeatmapAnswer>): HeatmapAnswer {
  const data = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, i) => data.setFloat32(4 * i, value, true));
  const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
  return {
    shape: [5, 4],
    order: "reordered",
    row_from: 0,
    row_to: 5,
    column_from: 0,
    column_to: 4,
    height: 2,
    width: 2,
    mean: base64(new Uint8Array(data.buffer)),
    missing: missing && base64(Uint8Array.from(missing)),
    exact: true,
    row_clusters: [0, 5],
    column_clusters: [0, 4],
    row_labels: [0],
    column_labels: [0],
    row_names: null,
    column_names: null,
    cells: "gaussian",
    categories: null,
    row_exposure: null,
    column_exposure: null,
    scale: [0, 1, 2],
    ...more,
  };
}

describe("a picture", () => {
  const picture = decoded(answer([0, 2, NaN, 1], [0, 51, 255, 0], {}));

  it("leaves the ground where nothing is observed", () => {
    const pixels = painted(picture, "light");
    expect([0, 1, 2, 3].map((i) => pixels[4 * i + 3])).toEqual([255, 255, 0, 255]);
    expect([...pixels.slice(4, 7)]).toEqual([...colourTable("light").slice(-3)]);
  });

  it("says what is at a position, and which positions share its pixel", () => {
    // The server has pixels begin at the ceiling of i * 5 / 2: rows 0 to 2, and 3 and 4.
    expect(spotAt(picture, 2, 3)).toEqual({
      value: 2,
      missing: 0.2,
      rows: { from: 0, to: 3 },
      columns: { from: 2, to: 4 },
    });
    expect(spotAt(picture, 3, 0)).toEqual({
      value: NaN,
      missing: 1,
      rows: { from: 3, to: 5 },
      columns: { from: 0, to: 2 },
    });
    expect(spotAt(picture, 5, 0)).toBeUndefined();
    expect(spotAt(decoded(answer([0, 2, NaN, 1], null, {})), 0, 0)?.missing).toBeNull();
  });
});

describe("what stands along an axis", () => {
  it("has a band for each cluster that is shown", () => {
    expect(bands([0, 10, 30, 40], [0, 1, 2], { from: 5, to: 30 }, 100)).toEqual([
      { cluster: 0, items: 10, from: 0, to: 20 },
      { cluster: 1, items: 20, from: 20, to: 100 },
    ]);
  });

  it("leaves out labels that would touch, of the small ones first", () => {
    const all = bands([0, 2, 50, 52, 100], [0, 1, 2, 3], { from: 0, to: 100 }, 100);
    expect(labelled(all, 30).map((band) => band.cluster)).toEqual([1, 3]);
    expect(labelled(all, 1).map((band) => band.cluster)).toEqual([0, 1, 2, 3]);
  });

  it("shortens names that are too long", () => {
    const measure = (text: string): number => 10 * [...text].length;
    expect(fitted("short", 50, measure)).toBe("short");
    expect(fitted("somewhat long", 50, measure)).toBe("so…ng");
    expect(fitted("long", 15, measure)).toBe("");
    expect(fitted("🙂🙂🙂", 20, measure)).toBe("🙂…");
  });

  it("keeps names apart that begin or end alike", () => {
    const measure = (text: string): number => 10 * [...text].length;
    const ends = ["measured_alcohol", "measured_ash"];
    expect(fittedNames(ends, 200, measure)).toBe(ends);
    expect(fittedNames(ends, 70, measure)).toEqual(["mea…hol", "mea…ash"]);
    const plates = ["plate_07_of_run", "plate_12_of_run", "plate_31_of_run"];
    expect(fittedNames(plates, 70, measure)).toEqual(["…07_of…", "…12_of…", "…31_of…"]);
    expect(fittedNames(["17_of_plate", "18_of_plate"], 40, measure)).toEqual(["17…e", "18…e"]);
    expect(fittedNames(["same", "same"], 30, measure)).toEqual(["s…e", "s…e"]);
  });

  it("has round positions", () => {
    expect(positions({ from: 0, to: 20000 }, 600, 40)).toEqual([
      0, 2000, 4000, 6000, 8000, 10000, 12000, 14000, 16000, 18000,
    ]);
    expect(positions({ from: 3.5, to: 7 }, 600, 40)).toEqual([4, 5, 6]);
  });
});

describe("a picture of counts", () => {
  // Pixels of 3 x 2 and of 2 x 2 cells, of which 4 are expected a cell, or fewer.
  const picture = decoded(
    answer([8, 1, 0, 1], null, { cells: "counts", row_exposure: [2, 1], column_exposure: [2, 0.5] }),
  );

  it("has multiples of what is expected, nearer to 1 where little is", () => {
    const [much, alike, none, twice] = multiplesOf(picture)!;
    expect(much).toBeCloseTo((8 * 6 + 1) / (4 * 6 + 1));
    expect(alike).toBeCloseTo(1);
    expect(none).toBeCloseTo(1 / (2 * 4 + 1));
    expect(twice).toBeCloseTo((1 * 4 + 1) / (0.5 * 4 + 1));
    expect(multiplesOf(decoded(answer([8, 1, 0, 1], null, {})))).toBeUndefined();
  });

  it("leaves out the cells that are missing", () => {
    const half = decoded(
      answer([8, 1, 0, 1], [128, 0, 0, 0], { cells: "counts", row_exposure: [2, 1], column_exposure: [2, 0.5] }),
    );
    expect(multiplesOf(half)![0]).toBeCloseTo((8 * 3 + 1) / (4 * 3 + 1), 1);
  });

  it("has the neutral colour where a count is as expected, and paler ones near it", () => {
    const scale = scaleOfMultiples(multiplesOf(picture)!);
    const pixels = painted(compared(picture, scale), "light");
    const middle = colourTable("light", "diverging").slice(3 * stepOf(0.5), 3 * stepOf(0.5) + 3);
    expect([...pixels.slice(4, 7)]).toEqual([...middle]);
    // More is red, less is blue.
    expect(pixels[0]).toBeGreaterThan(pixels[2]!);
    expect(pixels[8]).toBeLessThan(pixels[10]!);
  });

  it("says both", () => {
    const lines = readOut(undefined, picture, 0, 0);
    expect(lines.at(-1)).toBe("mean 8, 2 times the expected 4");
    expect(readOut(undefined, picture, 4, 0).at(-1)).toBe("mean 0, expected 2");
  });
});

describe("colours of multiples", () => {
  it("are spread by the logarithm, as far up as down", () => {
    const scale = ofMultiples([0.5, 1, 3]);
    expect([scale.low, scale.high]).toEqual([1 / 4, 4]);
    expect([0, 1 / 4, 0.5, 1, 2, 4, 9].map((value) => shareOf(scale, value))).toEqual([0, 0, 0.25, 0.5, 0.75, 1, 1]);
    expect(legendTicks(scale, 5).map(({ value }) => written(scale, value, 3))).toEqual([
      "0.25 ×",
      "0.5 ×",
      "1 ×",
      "2 ×",
      "4 ×",
    ]);
  });

  it("go no further than a hundred times", () => {
    expect(ofMultiples([0, 0, 1e6]).high).toBe(100);
    expect(ofMultiples([]).high).toBe(4);
  });
});

describe("colours of counts", () => {
  it("leave the ground where nothing is counted, however often that is", () => {
    const scale = { ...ofCounts([0, 0, 0, 0, 0, 0, 1, 2, 40]), spread: "rank" } as const;
    expect([0, 1, 2, 40].map((value) => shareOf(scale, value))).toEqual([0, 1 / 3, 2 / 3, 1]);
    expect(ofCounts([0, 0, 0, 0, 0, 0, 1, 2, 40]).high).toBeGreaterThan(30);
  });

  it("are spread over all where nothing is 0", () => {
    expect(ofCounts([1, 2, 3]).quantiles).toEqual([1, 2, 3]);
    expect(ofCounts([]).quantiles).toEqual([]);
  });
});

describe("a picture of yes and no", () => {
  it("is a share of ones, from none to all", () => {
    const picture = decoded(answer([0.25, 1, NaN, 0], null, { cells: "binary", scale: [0, 0.25] }));
    expect(readOut(undefined, picture, 0, 0).at(-1)).toBe("25 % ones");
    expect(readOut(undefined, picture, 4, 0).at(-1)).toBe("missing");
    const scale = ofShares([0, 0.25]);
    expect(legendTicks(scale, 3).map(({ value }) => written(scale, value, 3))).toEqual(["0 %", "50 %", "100 %"]);
  });
});

describe("a picture of categories", () => {
  const picture = decoded(
    answer([0, 1, 2, NaN], null, { cells: "categorical", categories: ["-1", "0", "1"], scale: [] }),
  );

  it("has a colour for each, and its name", () => {
    const pixels = painted(picture, "light");
    const colours = [0, 1, 2].map((i) => [...pixels.slice(4 * i, 4 * i + 3)].join());
    expect(new Set(colours).size).toBe(3);
    expect(pixels[15]).toBe(0);
    expect(readOut(undefined, picture, 0, 3).at(-1)).toBe("one cell 0");
  });

  it("tells twenty of them apart", () => {
    const names = Array.from({ length: 20 }, (_, i) => `${i}`);
    const table = colourTable("dark", ofCategories(names).kind);
    const seen = names.map((_, i) => {
      const step = stepOf(shareOf(ofCategories(names), i));
      return [...table.slice(3 * step, 3 * step + 3)].join();
    });
    expect(new Set(seen).size).toBe(20);
  });
});

describe("colours that diverge because somebody chose so", () => {
  const scale = spreadAs(fittedTo([0, 1, 2, 6, 10]), "diverging");

  it("have their middle at the median, and the values in proportion on either side", () => {
    expect(scale).toMatchObject({ kind: "diverging", middle: 2 });
    expect([0, 1, 2, 6, 10].map((value) => shareOf(scale, value)).map((share) => Math.round(100 * share))).toEqual([
      0, 24, 50, 76, 100,
    ]);
    expect(legendTicks(scale, 5)[2]!.value).toBe(2);
    expect(spreadsOf(scale)).toContain("diverging");
  });

  it("are no choice where colours diverge anyway, nor for categories", () => {
    const signed = fittedTo([-2, -1, 0, 1, 2]);
    expect(spreadsOf(signed)).toEqual(["value", "rank"]);
    expect(spreadAs(signed, "diverging")).toMatchObject({ spread: "value", low: signed.low });
    expect(spreadAs(ofCategories(["a", "b"]), "diverging").kind).toBe("categories-2");
    expect([spreadOf("diverging"), spreadOf("other")]).toEqual(["diverging", null]);
  });

  it("are there where all values are the same", () => {
    const flat = spreadAs(fittedTo([3, 3, 3]), "diverging");
    expect(shareOf(flat, 3)).toBeCloseTo(0.5);
  });
});
