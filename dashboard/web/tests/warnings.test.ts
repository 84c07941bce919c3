import { describe, expect, it } from "vitest";

import { type Hint, type Note, capitalised, nameOf, textOf } from "../src/api/names";
import type { Preflight } from "../src/api/types";
import { fieldsOf } from "../src/pages/new/parameters";
import { AS_IT_IS, withHint } from "../src/pages/new/reading";
import { warningsOf } from "../src/pages/new/warnings";

const none = { count: 0, names: [] };
const report = (more: Partial<Preflight>): Preflight =>
  ({
    constant_columns: none,
    empty_columns: none,
    empty_rows: none,
    duplicate_names: none,
    duplicate_columns: none,
    noted: [],
    ...more,
  }) as unknown as Preflight;

const hint = (option: string, value: Hint["value"] = null): Hint => ({ option, value });
const note = (...parts: Note["parts"]): Note => ({ kind: "transform", parts, place: [] });

describe("a note", () => {
  it("calls options as the fields of the page", () => {
    expect(textOf(note("columns differ: use ", hint("transform", "standardize")))).toBe("columns differ: use Transform: standardize");
    expect(nameOf(hint("decimal", "."))).toBe("Decimal mark: .");
    expect(nameOf(hint("header", true))).toBe("First line names the columns: yes");
    expect(nameOf(hint("drop_columns", ["b", "c"]))).toBe("Columns to leave out: b, c");
    expect(nameOf(hint("delimiter"))).toBe("Separator of cells");
  });

  it("begins with a capital, and a text of an earlier version too", () => {
    expect(capitalised("columns differ")).toBe("Columns differ");
    expect(textOf(capitalised(note("use ", hint("shards", 1))))).toBe("Use Shards: 1");
  });

  it("sets what the form has, where it gives a value", () => {
    expect(fieldsOf(hint("transform", "log1p,standardize"))).toEqual({ transform: "log1p,standardize" });
    expect(fieldsOf(hint("burn_in", 100))).toEqual({ burn_in: "100" });
    expect(fieldsOf(hint("sampler"))).toBeUndefined();
    expect(fieldsOf(hint("force"))).toBeUndefined();
  });

  it("changes how a file is read", () => {
    const reading = { ...AS_IT_IS, drop_columns: ["a"] };
    expect(withHint(reading, hint("drop_columns", ["b"]))?.drop_columns).toEqual(["a", "b"]);
    expect(withHint(reading, hint("header", false))?.header).toBe(false);
    expect(withHint(reading, hint("drop_columns"))).toBeUndefined();
    expect(withHint(reading, hint("transform", "log"))).toBeUndefined();
  });
});

describe("warnings", () => {
  it("are none where nothing is odd", () => {
    expect(warningsOf(report({}))).toEqual([]);
  });

  it("count what is odd and name the first of it", () => {
    const found = warningsOf(
      report({
        noted: ["a note"],
        constant_columns: { count: 1, names: ["c"] },
        empty_rows: { count: 2000, names: ["r1", "r2"] },
      }),
    );
    expect(found).toEqual([
      "a note",
      "1 column has one value only, which tells nothing about the rows: c",
      "2,000 rows are empty: r1, r2, …",
    ]);
  });
});
