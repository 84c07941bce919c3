import { describe, expect, it } from "vitest";

import { parse, stringify, wholeNumber } from "../src/api/json";

const LARGEST = "9223372036854775807";

describe("whole numbers", () => {
  it("stay exact from the server to the page and back", () => {
    for (const seed of ["9007199254740993", LARGEST, "-9007199254740993"]) {
      const text = `{"options":{"seed":${seed},"iterations":3}}`;
      const found = parse(text) as { options: { seed: unknown; iterations: unknown } };
      expect(String(found.options.seed)).toBe(seed);
      expect(found.options.iterations).toBe(3);
      expect(stringify(found)).toBe(text);
    }
  });

  it("that a double holds are ordinary numbers", () => {
    expect(parse('{"a":9007199254740991,"b":[0,-1],"c":1.25}')).toEqual({ a: 9007199254740991, b: [0, -1], c: 1.25 });
  });

  it("are not looked for in texts, fractions and powers", () => {
    const text = '{"name":"seed 9007199254740993, \\"9007199254740993\\"","x":0.90071992547409931234,"y":9007199254740993.5}';
    expect(parse(text)).toEqual(JSON.parse(text));
    expect(parse('{"z":9007199254740993e2}')).toEqual({ z: 9007199254740993e2 });
    expect(parse('["9007199254740993"]')).toEqual(["9007199254740993"]);
  });

  it("are read as they are typed", () => {
    expect(wholeNumber(" 7 ")).toBe(7);
    expect(wholeNumber(LARGEST)).toBe(9223372036854775807n);
    for (const text of ["", " ", "1.5", "-1", "1e3", "seven"]) expect(wholeNumber(text)).toBeUndefined();
  });
});

describe("what is no JSON", () => {
  it("is an error, long or short", () => {
    expect(() => parse("<html>")).toThrow(SyntaxError);
    expect(() => parse("<html>9007199254740993")).toThrow(SyntaxError);
  });
});
