import { describe, expect, it } from "vitest";

import type { Preflight } from "../src/api/types";
import { inPages, warningsOf } from "../src/pages/new/warnings";

const none = { count: 0, names: [] };
const report = (more: Partial<Preflight>): Preflight =>
  ({
    constant_columns: none,
    empty_columns: none,
    empty_rows: none,
    duplicate_names: none,
    duplicate_columns: none,
    notes: [],
    ...more,
  }) as unknown as Preflight;

describe("words of the command line", () => {
  it("leave the name of a file as it is, and write numbers out", () => {
    expect(inPages("a11.csv line 5, column c: 'inf' is not a finite number")).toMatch(/^a11\.csv line 5/);
    expect(inPages("range 0.53 in a, 1.4e+03 in b")).toBe("Range 0.53 in a, 1,400 in b");
  });

  it("are those of the page", () => {
    expect(inPages("columns differ: use --transform standardize")).toBe("Columns differ: use the transform standardize");
    expect(inPages("text; pass --id-column b c if it names the rows or --row-classes b c if it holds their classes")).toBe(
      "Text; say if b c names the rows, or holds their classes",
    );
    expect(inPages("a comma; --decimal . overrules it (--id-column none overrules it)")).toBe(
      "A comma; “Decimal mark” overrules it (“Names of the rows” overrules it)",
    );
    expect(inPages("b is data: --row-classes b leaves it out, --drop-column leaves columns out")).toBe(
      "B is data: choose b under “Known classes of the rows”, or under “Columns to leave out”",
    );
    expect(inPages("semicolons; --delimiter overrules it")).toBe("Semicolons; “Separator of cells” overrules it");
  });
});

describe("warnings", () => {
  it("are none where nothing is odd", () => {
    expect(warningsOf(report({}))).toEqual([]);
  });

  it("count what is odd and name the first of it", () => {
    const found = warningsOf(
      report({
        notes: ["a note"],
        constant_columns: { count: 1, names: ["c"] },
        empty_rows: { count: 2000, names: ["r1", "r2"] },
      }),
    );
    expect(found).toEqual([
      "A note",
      "1 column has one value only, which tells nothing about the rows: c",
      "2,000 rows are empty: r1, r2, …",
    ]);
  });
});
