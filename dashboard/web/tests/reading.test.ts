import { describe, expect, it } from "vitest";

import { guess, headOf, kindOf, strayOf, tableOf } from "../src/pages/new/reading";

const WINE = "class,alcohol,ash\na,14.2,2.4\na,13.2,\nb,NA,2.6\n";

/** Node 18 has no File of its own. */
const file = (content: BlobPart, name: string) => Object.assign(new Blob([content]), { name }) as unknown as File;

describe("the beginning of a text file", () => {
  it("names columns, and says which hold text", () => {
    expect(tableOf(WINE, ",", "auto")).toEqual({
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
    const head = tableOf("1,2\n3,4\n", ",", "auto");
    expect([head?.names, head?.rows.length, head?.text]).toEqual([["0", "1"], 2, []]);
    expect(tableOf("1,2\n3,4\n", ",", true)?.names).toEqual(["1", "2"]);
    expect(tableOf(WINE, ",", false)?.text).toEqual(["0", "1", "2"]);
  });

  it("may quote, and end its lines and itself in any way", () => {
    const head = tableOf('\uFEFF"a ""b""",c\r\n"1","2,5"\r\n3,4', ",", "auto");
    expect([head?.names, head?.rows]).toEqual([['a "b"', "c"], [["1", "2,5"], ["3", "4"]]]);
    expect(tableOf("", ",", "auto")).toBeNull();
  });

  it("is found in compressed files, and not in what is none", async () => {
    const packed = new Response(new Blob(["a\tb\n1\t2\n"]).stream().pipeThrough(new CompressionStream("gzip")));
    expect((await headOf(file(await packed.arrayBuffer(), "x.tsv.gz"), "auto"))?.names).toEqual(["a", "b"]);
    expect(await headOf(file("no gzip", "x.csv.gz"), "auto")).toBeNull();
  });
});

describe("the guess", () => {
  it("takes text that repeats for classes, and text that does not for names", () => {
    const text = "sample,kind,x\ns1,a,1\ns2,a,2\ns3,b,3\n";
    expect(guess(tableOf(text, ",", "auto"))).toMatchObject({ id_column: "sample", class_column: "kind" });
    expect(guess(tableOf(WINE, ",", "auto"))).toMatchObject({ id_column: null, class_column: "class" });
  });

  it("leaves no column out that holds numbers, too: one of its cells is at fault", () => {
    const text = "a,b,c\n1,2,3\n1,,3\n1,'',inf\n";
    expect(tableOf(text, ",", "auto")?.text).toEqual(["b", "c"]);
    expect(guess(tableOf(text, ",", "auto"))).toMatchObject({ id_column: null, class_column: null });
    expect(["a", "c"].map((name) => strayOf(tableOf(text, ",", "auto")!, name))).toEqual([undefined, "inf"]);
    expect(strayOf(tableOf(WINE, ",", "auto")!, "class")).toBeUndefined();
  });

  it("leaves a first column without a name to the server", () => {
    expect(guess(tableOf(",x\nr1,1\nr2,2\n", ",", "auto"))).toMatchObject({ id_column: null, class_column: null });
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
