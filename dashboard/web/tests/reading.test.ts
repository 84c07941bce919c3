import { describe, expect, it } from "vitest";

import { AS_IT_IS, guess, headOf, kindOf, linesOf, strayOf, tableOf } from "../src/pages/new/reading";

const WINE = "class,alcohol,ash\na,14.2,2.4\na,13.2,\nb,NA,2.6\n";

/** Node 18 has no File of its own. */
const file = (content: BlobPart, name: string) => Object.assign(new Blob([content]), { name }) as unknown as File;

describe("the beginning of a text file", () => {
  it("names columns, and says which hold text", () => {
    expect(tableOf(WINE, AS_IT_IS, ",")).toEqual({
      names: ["class", "alcohol", "ash"],
      rows: [
        ["a", "14.2", "2.4"],
        ["a", "13.2", ""],
        ["b", "NA", "2.6"],
      ],
      text: ["class"],
    });
  });

  it("may have no names", () => {
    const head = tableOf("1,2\n3,4\n", AS_IT_IS, ",");
    expect([head?.names, head?.rows.length, head?.text]).toEqual([["0", "1"], 2, []]);
    expect(tableOf("1,2\n3,4\n", { ...AS_IT_IS, header: true }, ",")?.names).toEqual(["1", "2"]);
    expect(tableOf(WINE, { ...AS_IT_IS, header: false }, ",")?.text).toEqual(["0", "1", "2"]);
  });

  it("may quote, and end its lines and itself in any way", () => {
    const head = tableOf('\uFEFF"a ""b""",c\r\n"1","2,5"\r\n3,4', AS_IT_IS, ",");
    expect([head?.names, head?.rows]).toEqual([['a "b"', "c"], [["1", "2,5"], ["3", "4"]]]);
    expect(tableOf("", AS_IT_IS, ",")).toBeNull();
  });

  it("may hold TRUE and FALSE and percentages, which the server reads as numbers", () => {
    const head = tableOf("x,smoker,share\n1,TRUE,12.5%\n2,false,7 %\n", AS_IT_IS, ",");
    expect([head?.names, head?.text]).toEqual([["x", "smoker", "share"], []]);
    expect(guess(head)).toEqual({ id_column: null, class_column: null });
    expect(tableOf("TRUE,FALSE\nFALSE,TRUE\n", AS_IT_IS, ",")?.names).toEqual(["0", "1"]);
  });

  it("is found in compressed files, and not in what is none", async () => {
    const packed = new Response(new Blob(["a\tb\n1\t2\n"]).stream().pipeThrough(new CompressionStream("gzip")));
    expect((await headOf(file(await packed.arrayBuffer(), "x.tsv.gz"), AS_IT_IS))?.names).toEqual(["a", "b"]);
    expect(await headOf(file("no gzip", "x.csv.gz"), AS_IT_IS)).toBeNull();
  });
});

describe("first lines of any length", () => {
  const COLUMNS = 60_000;
  const line = (cell: (j: number) => string): string => Array.from({ length: COLUMNS }, (_, j) => cell(j)).join(",");
  const wide = [`id,${line((j) => `gene${j}`)}`, ...[1, 2, 3].map((i) => `s${i},${line((j) => `${i}.${j}`)}`)].join("\n");

  it("are seen as wholes", async () => {
    expect(wide.length).toBeGreaterThan(2 ** 20);
    const head = (await headOf(file(wide, "wide.csv"), AS_IT_IS))!;
    expect([head.names.length, head.rows.length, head.text]).toEqual([COLUMNS + 1, 3, ["id"]]);
    expect(head.rows[2]![COLUMNS]).toBe(`3.${COLUMNS - 1}`);
  });

  it("are seen in compressed files, too", async () => {
    const packed = new Response(new Blob([wide]).stream().pipeThrough(new CompressionStream("gzip")));
    expect((await headOf(file(await packed.arrayBuffer(), "wide.csv.gz"), AS_IT_IS))?.names.length).toBe(COLUMNS + 1);
  });
});

describe("a file as people have it", () => {
  it("has a separator and a decimal mark of its own", () => {
    const text = "id;a;b\nr1;1,5;2\nr2;,25;3,0\n";
    expect(tableOf(text, AS_IT_IS, ",")).toMatchObject({ names: ["id", "a", "b"], text: ["id"] });
    expect(tableOf("id\ta\nr1\t1\n", AS_IT_IS, ",")?.names).toEqual(["id", "a"]);
    expect(tableOf(text, { ...AS_IT_IS, decimal: "." }, ",")?.text).toEqual(["id", "a", "b"]);
    expect(tableOf("a|b\n1|2\n", { ...AS_IT_IS, delimiter: "pipe" }, ",")?.names).toEqual(["a", "b"]);
  });

  it("may group thousands, and mark missing cells", () => {
    const text = "a\tb\n1,234\t?\n5\t2\n";
    expect(tableOf(text, { ...AS_IT_IS, decimal: "." }, "\t")?.text).toEqual(["a", "b"]);
    const reading = { ...AS_IT_IS, decimal: ".", thousands: ",", missing: ["?"] } as const;
    expect(tableOf(text, { ...reading, missing: [...reading.missing] }, "\t")?.text).toEqual([]);
  });

  it("is described in a line for each thing that was said of it", () => {
    expect(linesOf(AS_IT_IS)).toEqual([]);
    expect(
      linesOf({ ...AS_IT_IS, id_column: "none", class_column: "kind", drop_columns: ["a", "b"], delimiter: ";", decimal: ",", missing: ["?"], transpose: true }),
    ).toEqual([
      "No column names the rows",
      "Known classes: kind",
      "Left out: a, b",
      "Cells are separated by semicolons",
      "Numbers have a decimal comma",
      "Missing, too: “?”",
      "Rows and columns are swapped",
    ]);
  });
});

describe("the guess", () => {
  it("takes text that repeats for classes, and text that does not for names", () => {
    const text = "sample,kind,x\ns1,a,1\ns2,a,2\ns3,b,3\n";
    expect(guess(tableOf(text, AS_IT_IS, ","))).toMatchObject({ id_column: "sample", class_column: "kind" });
    expect(guess(tableOf(WINE, AS_IT_IS, ","))).toMatchObject({ id_column: null, class_column: "class" });
  });

  it("leaves no column out that holds numbers, too: one of its cells is at fault", () => {
    const text = "a,b,c\n1,2,3\n1,,3\n1,'',inf\n";
    expect(tableOf(text, AS_IT_IS, ",")?.text).toEqual(["b", "c"]);
    expect(guess(tableOf(text, AS_IT_IS, ","))).toMatchObject({ id_column: null, class_column: null });
    expect(["a", "c"].map((name) => strayOf(tableOf(text, AS_IT_IS, ",")!, name))).toEqual([undefined, "inf"]);
    expect(strayOf(tableOf(WINE, AS_IT_IS, ",")!, "class")).toBeUndefined();
  });

  it("leaves a first column without a name to the server", () => {
    expect(guess(tableOf(",x\nr1,1\nr2,2\n", AS_IT_IS, ","))).toMatchObject({ id_column: null, class_column: null });
    expect(guess(null)).toMatchObject({ id_column: null, class_column: null });
  });
});

it("the kind of a file is in its name", () => {
  expect(["a.CSV", "a.txt.gz", "a.parquet", "a.h5ad", "a.npy"].map(kindOf)).toEqual([
    "text",
    "text",
    "columns",
    "columns",
    "numbers",
  ]);
});
