import { expect, it } from "vitest";

import { AS_IT_IS, kindOf, linesOf } from "../src/pages/new/reading";

it("a way to read a file is described in a line for each thing that was said of it", () => {
  expect(linesOf(AS_IT_IS)).toEqual([]);
  expect(
    linesOf({ ...AS_IT_IS, id_column: "none", class_column: "kind", drop_columns: ["a", "b"], delimiter: "semicolon", decimal: ",", missing: ["?"], transpose: true }),
  ).toEqual([
    "No column names the rows",
    "Known classes: kind",
    "Left out: a, b",
    "Cells are separated by semicolons",
    "Numbers have a decimal comma",
    "Missing, too: “?”",
    "Rows and columns are swapped",
  ]);
  expect(linesOf({ ...AS_IT_IS, layout: "long", absent: "zero" })).toEqual([
    "Each line is a row name, a column name and a value",
    "Pairs without a line are zero",
  ]);
  expect(linesOf({ ...AS_IT_IS, layer: "counts" })).toEqual(["Layer: counts"]);
});

it("the kind of a file is in its name", () => {
  expect(["a.CSV", "a.txt.gz", "a.parquet", "a.h5ad", "a.npy"].map(kindOf)).toEqual([
    "text",
    "text",
    "columns",
    "layers",
    "numbers",
  ]);
});
