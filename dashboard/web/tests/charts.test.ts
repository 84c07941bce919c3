import { describe, expect, it } from "vitest";

import { aligned, lastOf, range } from "../src/charts/series";
import { taken, tickTexts } from "../src/charts/ticks";

describe("lines", () => {
  it("are put on one axis, with gaps where one has nothing", () => {
    const lines = [
      { label: "a", x: [1, 2, 3], y: [1, NaN, 3] },
      { label: "b", x: [2, 4], y: [5, null] },
      { label: "c", x: [], y: [] },
    ];
    expect(aligned(lines)).toEqual({
      x: [1, 2, 3, 4],
      y: [
        [1, null, 3, null],
        [null, 5, null, null],
        [null, null, null, null],
      ],
    });
    expect(lines.map(lastOf)).toEqual([{ x: 3, y: 3 }, { x: 2, y: 5 }, undefined]);
  });

  it("have room around them, whatever they are", () => {
    expect(range(null, null, false)).toEqual([0, 1]);
    expect(range(NaN, Infinity, false)).toEqual([0, 1]);
    expect(range(3, 3, true)).toEqual([2, 4]);
    expect(range(0, 0, true)).toEqual([0, 1]);
    expect(range(0, 100, false)).toEqual([-6, 106]);
    const [low, high] = range(-5, -5, false);
    expect(low).toBeLessThan(-5);
    expect(high).toBeGreaterThan(-5);
  });
});

describe("texts of ticks", () => {
  it("have as many digits as their distance needs", () => {
    expect(tickTexts([0, 50, 100])).toEqual(["0", "50", "100"]);
    expect(tickTexts([0, 0.5, 1])).toEqual(["0.0", "0.5", "1.0"]);
    expect(tickTexts([0.0025, 0.005, 0.0075])).toEqual(["0.0025", "0.0050", "0.0075"]);
    expect(tickTexts([-2_500_000, -2_000_000])).toEqual(["−2,500,000", "−2,000,000"]);
    expect(tickTexts([0, 2e9])).toEqual(["0", "2.0e+9"]);
    expect(tickTexts([])).toEqual([]);
  });

  it("say short times in milliseconds", () => {
    expect([0, 0.00083, 0.0042, 0.25, 1.5, 75, null, NaN].map(taken)).toEqual([
      "0 ms",
      "0.83 ms",
      "4.2 ms",
      "250 ms",
      "1.5 s",
      "1 min 15 s",
      "–",
      "–",
    ]);
  });
});
