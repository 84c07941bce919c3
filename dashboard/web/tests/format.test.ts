import { describe, expect, it } from "vitest";

import { bytes, column, count, duration, fixed, logJoint, number, percent, plural, shape } from "../src/ui/format";

describe("what is no number", () => {
  it.each([null, undefined, NaN, Infinity, -Infinity])("is a dash: %s", (value) => {
    for (const write of [count, number, logJoint, duration, bytes, percent]) expect(write(value)).toBe("–");
    expect(shape(value, 3)).toBe("–");
  });
});

describe("numbers", () => {
  it("have so many digits as are asked for", () => {
    expect([0, 1, 0.123456, 12.3456, 1234567].map((value) => number(value))).toEqual([
      "0",
      "1",
      "0.1235",
      "12.35",
      "1,234,567",
    ]);
    expect([-2.5, 0.00001234, 1.5e12].map((value) => number(value, 3))).toEqual(["−2.5", "1.23e−5", "1.50e+12"]);
  });

  it("have minus signs wherever they are negative", () => {
    expect([number(-1.0010415476e-146), fixed(-1234.5, 1), fixed(-0.04, 1)]).toEqual(["−1.001e−146", "−1,234.5", "0.0"]);
  });

  it("of one column share their decimals", () => {
    const write = column([0.09, 0.5, 3, 22.9]);
    expect([0.09, 22.9, -1, NaN].map(write)).toEqual(["0.09", "22.90", "−1.00", "–"]);
    expect(column([-1.001e-146])(-1.001e-146)).toBe("−1.00e−146");
    expect(column([])(0)).toBe("0.00");
  });

  it("of log densities tell iterations apart", () => {
    expect(logJoint(-2345.678)).toBe("−2,345.7");
  });

  it("of durations have two units at most", () => {
    expect([0, 0.44, 9.96, 59.6, 61, 3600, 7260, 90000].map(duration)).toEqual([
      "0.0 s",
      "0.4 s",
      "10 s",
      "1 min",
      "1 min 1 s",
      "1 h",
      "2 h 1 min",
      "1 d 1 h",
    ]);
  });

  it("of bytes and shares are short", () => {
    expect([0, 999, 1000, 16 * 2 ** 20, 1e10, 999_999].map(bytes)).toEqual([
      "0 B",
      "999 B",
      "1.0 kB",
      "17 MB",
      "10 GB",
      "1.0 MB",
    ]);
    expect([0, 0.0004, 0.054, 0.37, 1].map(percent)).toEqual(["0 %", "0.04 %", "5.4 %", "37 %", "100 %"]);
  });

  it("say of what they are", () => {
    expect([plural(1, "row"), plural(2000, "row"), plural(0, "entry", "entries")]).toEqual([
      "1 row",
      "2,000 rows",
      "0 entries",
    ]);
    expect([shape(178, 13), shape(178, 13, 1), shape(1000, 2, 3)]).toEqual(["178 × 13", "178 × 13", "1,000 × 2 × 3"]);
  });
});
