import { describe, expect, it } from "vitest";

import { curveOf, rounds, FRAME } from "../src/charts/curve";
import { clustersAt, itemsIn } from "../src/heatmap/picture";
import { placed, readOut, summarised } from "../src/heatmap/readOut";
import { SHARES } from "../src/heatmap/scale";
import { whole } from "../src/heatmap/viewport";
import { read, written } from "../src/report/address";
import { blockAt, leftOut, readOutOf, sharesAt } from "../src/report/blocks";
import type { AxisItems, BlockDocument, BlockMatrices } from "../src/report/document";
import { isWidened, mostIn, pictureOf, pixelsOf, valuesOf } from "../src/report/pictures";
import type { Block } from "../src/tables/block";
import { type Kind, kindOf } from "../src/tables/kind";

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Six rows in clusters of 5 and 1: two pixels of two rows, one of one, and two pixels of the same last one. */
const rows: AxisItems = {
  count: 6,
  start: [0, 2, 4, 5, 5],
  stop: [2, 4, 5, 6, 6],
  first: ["a", "c", "e", "f", "f"],
  last: ["b", "d", "e", "f", "f"],
  clusters: [0, 5, 6],
  labels: [0, 1],
  borders: [0, 3, 5],
};

const columns: AxisItems = {
  count: 2,
  start: [0, 1],
  stop: [1, 2],
  first: ["x", "y"],
  last: ["x", "y"],
  clusters: [0, 2],
  labels: [0],
  borders: [0, 2],
};

const levels = Uint8Array.from([0, 1, 2, 255, 0, 1, 2, 0, 1, 2]);
const picture = pictureOf({
  order: "reordered",
  rows,
  columns,
  image: { levels: base64(levels), values: [1e-300, 0.25, 1e300] },
  scale: SHARES,
  sampled: false,
});

describe("the pictures of a report", () => {
  it("have values of any size, and know which are missing", () => {
    expect([...picture.mean].slice(0, 4)).toEqual([1e-300, 0.25, 1e300, NaN]);
    expect([...picture.missing!].slice(2, 5)).toEqual([0, 255, 0]);
    const floats = new Uint8Array(Float32Array.from([0.5, NaN]).buffer);
    expect([...valuesOf({ floats: base64(floats) })]).toEqual([0.5, NaN]);
  });

  it("say which rows a pixel is of", () => {
    expect([0, 2, 4].map((at) => placed("row", rows, at))).toEqual([
      "2 rows, a … b, cluster 0",
      "row e, cluster 0",
      "row f, cluster 1",
    ]);
    expect(placed("row", { ...rows, clusters: [0, 1, 6] }, 0)).toBe("2 rows, a … b, clusters 0 and 1");
    expect(placed("row", { ...rows, clusters: null }, 0)).toBe("2 rows, a … b");
  });

  it("are read out with the value last", () => {
    expect(readOut(undefined, picture, 0, 1)).toEqual(["2 rows, a … b, cluster 0", "column y, cluster 0", "mean ≈ 0.25"]);
    expect(readOut(undefined, { ...picture, sampled: true }, 0, 1)[2]).toBe("one cell ≈ 0.25");
    expect(readOut(undefined, { ...picture, approximate: false }, 2, 1)[2]).toBe("0.25");
    expect(readOut(undefined, picture, 1, 1)[2]).toBe("missing");
  });

  it("count rows and not pixels", () => {
    const shape = { rows: 5, columns: 2 };
    expect(summarised(whole(shape), shape, picture)).toBe(
      "All 6 rows × 2 columns, by cluster: 2 row clusters × 1 column cluster.",
    );
    const part = { rows: { from: 1, to: 3 }, columns: { from: 0, to: 1 } };
    expect(summarised(part, shape, picture)).toBe(
      "3 of 6 rows × 1 of 2 columns, by cluster: 1 row cluster × 1 column cluster.",
    );
    expect(itemsIn(rows, { from: 3, to: 5 })).toBe(1);
    expect(clustersAt(rows, 3)).toEqual([1]);
  });

  it("have names only where each pixel is one item, at the first of its pixels", () => {
    expect(picture.answer.row_names).toBeNull();
    expect(picture.answer.column_names).toEqual(["x", "y"]);
    const single = { ...rows, count: 2, start: [0, 1, 1], stop: [1, 2, 2], first: ["a", "b", "b"], borders: [0, 1, 3] };
    const drawn = { order: "reordered", rows: single, columns, scale: SHARES, sampled: false } as const;
    const image = { levels: base64(Uint8Array.from([0, 0, 0, 0, 0, 0])), values: [1] };
    expect(pictureOf({ ...drawn, image }).answer.row_names).toEqual(["a", "b", ""]);
  });

  it("say how many rows a pixel covers, and whether clusters are wider than their share", () => {
    expect([mostIn(rows), mostIn(columns)]).toEqual([2, 1]);
    expect([isWidened(rows), isWidened(columns)]).toEqual([true, false]);
  });
});

describe("the address of a report", () => {
  const initial = { pixel: "cells", trace: "all", rows: "" };

  it("has what differs, and brings it back", () => {
    const state = { pixel: "mean", trace: "late", rows: "0-12" };
    expect(written(state, initial)).toBe("#pixel=mean&trace=late&rows=0-12");
    expect(read(written(state, initial), initial)).toEqual(state);
    expect(written(initial, initial)).toBe("");
  });

  it("knows no other names", () => {
    expect(read("#sure-title", initial)).toEqual(initial);
    expect(read("#other=1&trace=late", initial)).toEqual({ ...initial, trace: "late" });
  });
});

const matrices: BlockMatrices = {
  cells: [[60, 0]],
  mean: [[1.5, null]],
  sd: [[0.25, null]],
  skewness: [[0.1, null]],
  kurtosis: [[-0.2, null]],
  p: [[0.031, null]],
  odd: [[true, false]],
  posterior: null,
};

const blocks: BlockDocument = {
  rows: [{ label: 3, size: 20 }],
  columns: [
    { label: 0, size: 3 },
    { label: 7, size: 1 },
  ],
  row_clusters: 1700,
  column_clusters: 2,
  components: 1,
  tables: [matrices],
};

describe("the blocks of a report", () => {
  const [full, empty] = [blockAt(matrices, blocks, 0, 0), blockAt(matrices, blocks, 0, 1)];
  const kind = kindOf({ figures: ["mean", "sd"], exposure: "margins", names: [], categories: 0 });

  it("are of their clusters, with what is known of their cells", () => {
    expect([full.k, full.l, empty.k, empty.l]).toEqual([3, 0, 3, 7]);
    const write = kind.writes([full, empty]);
    expect(kind.lines(full, write)).toEqual(["1.50", "± 0.250"]);
    expect(kind.detail(full, write)).toBe("60 observed cells; skewness 0.10, excess kurtosis −0.20, p 0.031");
    const flat = { ...full, shape: { skewness: NaN, kurtosis: NaN, p: 0 } };
    expect(kind.detail(flat, write)).toBe("60 observed cells; all cells equal");
    expect(kind.centre(empty)).toBeNaN();
    expect(kind.scale([full, empty]).quantiles).toEqual([1.5]);
    expect(kind.told(full)).toBe("mean ± sd 1.5 ± 0.25");
  });

  it("have the intervals of the posterior below it", () => {
    const interval = { mean: [[2, null]], low: [[-3, null]], high: [[4, null]] };
    const drawn = blockAt({ ...matrices, posterior: { mean: interval, sd: interval } }, blocks, 0, 0);
    const write = kind.writes([drawn]);
    expect(kind.lines(drawn, write)).toEqual(["2.00", "−3.00 to 4.00", "± 2.000", "−3.000 to 4.000"]);
    expect(kind.detail(drawn, write)).toMatch(/^60 observed cells, 1.50 ± 0.250; skewness/);
    expect(kind.told(drawn)).toBe("mean ± sd 2 ± 2; with 95 %: mean −3 to 4, sd −3 to 4");
  });

  it("say what is left out", () => {
    expect(leftOut(blocks)).toBe("Shown are the 1 largest of 1,700 row clusters; blocks.csv holds all.");
    expect(leftOut({ ...blocks, row_clusters: 1 })).toBe("");
  });
});

/** What a block says in a table, what its title says, and what is told of it beside the heatmap. */
const said = (kind: Kind, block: Block): unknown[] => {
  const write = kind.writes([block]);
  return [kind.lines(block, write), kind.detail(block, write), kind.told(block)];
};

describe("blocks of counts", () => {
  const posterior = { rate: { mean: 2.11, low: 2.05, high: 2.18 } };
  const block: Block = { k: 0, l: 0, cells: 60, figures: { total: 1234, rate: 2.1 }, posterior };

  it("are so many times the expected count", () => {
    const kind = kindOf({ figures: ["total", "rate"], exposure: "margins", names: [], categories: 0 });
    expect(kind.caption).toBe("How many times the expected count");
    expect(said(kind, block)).toEqual([
      ["2.11 ×", "2.05 to 2.18"],
      "60 cells: 1,234 counted, 588 expected",
      "2.11 times the expected count; with 95 %: 2.05 to 2.18",
    ]);
    expect(kind.scale([block]).unit).toBe("multiple");
    expect(kind.detail({ ...block, dispersion: 5.13 }, kind.writes([block]))).toBe(
      "60 cells: 1,234 counted, 588 expected; they vary 5.1 times as much as Poisson counts",
    );
    expect(kind.detail({ ...block, dispersion: NaN }, kind.writes([block]))).not.toContain("vary");
  });

  it("are a mean where nothing is compared", () => {
    const kind = kindOf({ figures: ["total", "rate"], exposure: "none", names: [], categories: 0 });
    expect(kind.caption).toBe("Mean count");
    expect(said(kind, { ...block, posterior: undefined })).toEqual([
      ["2.1"],
      "60 cells: 1,234 counted",
      "mean count 2.1",
    ]);
  });
});

describe("blocks of yes and no", () => {
  const kind = kindOf({ figures: ["share"], exposure: "margins", names: [], categories: 0 });

  it("are a share of ones", () => {
    const posterior = { share: { mean: 0.42, low: 0.39, high: 0.45 } };
    expect(said(kind, { k: 0, l: 0, cells: 60, figures: { share: 0.4 }, posterior })).toEqual([
      ["42 %", "39 % to 45 %"],
      "60 observed cells, of them 40 % ones",
      "42 % ones; with 95 %: 39 % to 45 %",
    ]);
  });

  it("are of the second one where two categories have names", () => {
    const named = kindOf({ figures: ["share"], exposure: "margins", names: ["1", "2"], categories: 0 });
    expect(named.caption).toBe("Share of “2”");
  });
});

describe("blocks of categories", () => {
  const shares = (share: number): BlockMatrices => ({ cells: [[60, 0]], share: [[share, null]], posterior: null });
  const document: BlockDocument = {
    ...blocks,
    components: 9,
    tables: [0.2, 0.005, 0.795].map(shares),
    categories: [0, 3, 8],
  };
  const names = ["no", "b", "c", "rare", "e", "f", "g", "h", "yes"];
  const kind = kindOf({ figures: ["share"], exposure: "margins", names, categories: 9 });

  it("are told with the most common one first, and coloured by it", () => {
    const [full, empty] = [sharesAt(document, 0, 0), sharesAt(document, 0, 1)];
    expect(said(kind, full)).toEqual([["yes: 80 %", "no: 20 %"], "60 observed cells", "yes: 80 %, no: 20 %, rare: 0.5 %"]);
    expect(kind.centre(full)).toBe(8);
    expect(kind.centre(empty)).toBeNaN();
  });

  it("say which categories are left out", () => {
    expect(leftOut({ ...document, row_clusters: 1 })).toBe(
      "Shown are the 3 most common of 9 categories; blocks.csv holds all.",
    );
  });

  it("are read out beside the heatmap", () => {
    const read = readOutOf({ shares: [[[0.2]], [[0.8]]], intervals: null }, [0, 8], 0, 0);
    expect(kind.told(read)).toBe("yes: 80 %, no: 20 %");
  });
});

describe("what a pixel shows", () => {
  const image = { floats: "" };

  it("is what there are pictures of", () => {
    expect(pixelsOf({ mean: image }, "mean")).toEqual(["mean"]);
    expect(pixelsOf({ mean: image, cells: image }, "cells")).toEqual(["mean", "cells"]);
    expect(pixelsOf({ mean: image, cells: image }, "ratio")).toEqual(["ratio", "mean", "cells"]);
    expect(pixelsOf({ cells: image }, "cells")).toEqual(["cells"]);
  });
});

describe("the curve of a calibration", () => {
  const fit = [-3, -1.2, -1.1, -1];

  it("has a logarithmic axis of blocks", () => {
    const { marks, across } = curveOf([1, 10, 100, 1000].map((each, i) => ({ blocks: each, fit: fit[i]!, margin: 0.01 })));
    const steps = marks.slice(1).map(({ x }, i) => x - marks[i]!.x);
    for (const step of steps) expect(step).toBeCloseTo(steps[0]!);
    expect(across.map(({ text }) => text)).toEqual(["1", "10", "100", "1,000"]);
    across.forEach(({ at }, i) => expect(at).toBeCloseTo(marks[i]!.x));
  });

  it("lies within its frame, better fit higher", () => {
    const { marks } = curveOf([1, 6, 16, 100].map((each, i) => ({ blocks: each, fit: fit[i]!, margin: 0.5 })));
    for (const { x, y, low, high } of marks) {
      expect(x).toBeGreaterThanOrEqual(FRAME.left);
      expect(x).toBeLessThanOrEqual(FRAME.right);
      expect(FRAME.top <= high && high < y && y < low && low <= FRAME.bottom).toBe(true);
    }
    expect(marks.map(({ y }) => y)).toEqual(marks.map(({ y }) => y).sort((a, b) => b - a));
  });

  it("has a place for one number of blocks and one fit", () => {
    const { marks } = curveOf([{ blocks: 6, fit: 0, margin: 0 }]);
    expect(marks[0]!.x).toBeCloseTo((FRAME.left + FRAME.right) / 2);
    expect(marks[0]!.y).toBeCloseTo((FRAME.top + FRAME.bottom) / 2);
  });

  it("has round ticks within its range", () => {
    expect(rounds(0, 100, 5)).toEqual([0, 20, 40, 60, 80, 100]);
    expect(rounds(-1.3, 1.1, 5)).toEqual([-1, -0.5, 0, 0.5, 1]);
    expect(rounds(3, 3, 5)).toEqual([3]);
  });
});
