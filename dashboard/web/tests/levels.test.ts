import { describe, expect, it } from "vitest";

import { bordersOf } from "../src/heatmap/axes";
import { gridsOf } from "../src/levels/blocks";
import { certaintyAt, chartsOf, linesOf } from "../src/levels/curves";
import { type AxisCurves, FINE, type Level, type Levels, branchesOf, isFine, written } from "../src/levels/level";
import { linksOf } from "../src/levels/links";
import { joined } from "../src/levels/regrouped";
import { sizesOf } from "../src/levels/sizes";
import { ASIDE, type Tree, cut, fine, mostBranches } from "../src/levels/tree";
import computed from "./levels.json";

interface Sample {
  readonly levels: Levels;
  readonly cuts: readonly {
    readonly rows: number | null;
    readonly columns: number | null;
    readonly most: readonly [number, number];
    readonly row_labels: readonly number[];
    readonly column_labels: readonly number[];
    readonly nodes: readonly number[] | null;
    readonly aside: number;
    readonly figures: Readonly<Record<string, readonly (readonly number[])[]>>;
  }[];
}

/** What Python cuts: tests/unit/report/levels_of_pages.py writes it. */
const samples = computed as unknown as Record<string, Sample>;

const levelOf = ({ rows, columns }: Levels, numbers: { rows: number | null; columns: number | null }): Level => ({
  rows: branchesOf(rows, String(numbers.rows ?? FINE), undefined),
  columns: branchesOf(columns, String(numbers.columns ?? FINE), undefined),
});

/** Clusters 0 and 1 are alike, and 2 and 3; 4 is an outlier that joins last. */
const TREE: Tree = {
  sizes: [40, 20, 30, 9, 1],
  pairs: [
    [0, 1],
    [2, 3],
    [5, 6],
    [4, 7],
  ],
  heights: [1, 10, 1000, 1e5],
  least: 2,
};

describe.each(Object.entries(samples))("the levels of %s", (name, { levels, cuts }) => {
  it("are cut as Python cuts them", () => {
    for (const each of cuts) {
      const { rows, columns } = levelOf(levels, each);
      expect([rows.cut.labels, columns.cut.labels]).toEqual([each.row_labels, each.column_labels]);
      expect([rows.most, columns.most]).toEqual(each.most);
      expect(rows.cut.aside).toBe(each.aside);
      if (each.nodes) expect(rows.cut.nodes).toEqual(each.nodes);
    }
    expect(cuts.some(({ aside }) => aside > 0)).toBe(true);
  });

  it("have blocks with the figures that Python finds", () => {
    for (const each of cuts) {
      const grid = gridsOf(levels, levelOf(levels, each))![0]!;
      for (const [figure, lines] of Object.entries(each.figures)) {
        lines.forEach((line, k) =>
          line.forEach((value, l) => {
            const block = grid[k]![l]!;
            const found =
              name === "categories"
                ? block.shares!.find(([category]) => category === 0)![1]
                : block.figures[figure as "mean"]!;
            expect(found).toBeCloseTo(value, 5);
          }),
        );
      }
    }
  });
});

describe("a cut", () => {
  it("sets outliers aside, and keeps parts together that are both too small", () => {
    expect(cut(TREE, 2)).toMatchObject({ labels: [0, 0, 1, 1, ASIDE], sizes: [60, 39], nodes: [5, 6], aside: 1 });
    expect(mostBranches(TREE)).toBe(4);
    const small: Tree = { sizes: [5, 5, 90], pairs: [[0, 1], [2, 3]], heights: [1, 2], least: 10 };
    expect(cut(small, 2).labels).toEqual([1, 1, 0]);
  });

  it("stands in the address, and what it does not know is as to begin with", () => {
    const number = (text: string | null, first?: number): number | null => branchesOf(TREE, text, first).number;
    expect([number("3"), number(null), number(null, 2), number(FINE, 2)]).toEqual([3, null, 2, null]);
    expect([number("0"), number("99"), number("4"), number("two", 2)]).toEqual([1, null, 4, 2]);
    expect([written(3, TREE, undefined), written(null, TREE, undefined)]).toEqual(["3", null]);
    expect([written(2, TREE, 2), written(null, TREE, 2), written(null, TREE, 9)]).toEqual([null, FINE, null]);
    const [all, two] = [branchesOf(TREE, null, undefined), branchesOf(TREE, "2", undefined)];
    expect([isFine({ rows: all, columns: all }), isFine({ rows: all, columns: two })]).toEqual([true, false]);
  });
});

describe("a picture at a level", () => {
  it("has the clusters of a branch together", () => {
    const { labels } = cut(TREE, 2);
    expect(joined([0, 4, 6, 9, 10, 11], [0, 1, 2, 3, 4], labels)).toEqual({
      starts: [0, 6, 10, 11],
      labels: [0, 1, ASIDE],
    });
    expect(joined([0, 4, 6], [1, 0], [0, 1])).toEqual({ starts: [0, 4, 6], labels: [1, 0] });
  });

  it("has a tree beside it, of its branches alone", () => {
    const found = cut(TREE, 3);
    const { starts, labels } = joined([0, 40, 60, 90, 99, 100], [0, 1, 2, 3, 4], found.labels);
    const links = linksOf(TREE, found, starts, labels);
    expect(labels).toEqual([0, 1, 2, ASIDE]);
    expect(links.map(({ ends }) => ends.map(({ at }) => at))).toEqual([
      [75, 94.5],
      [30, 84.75],
    ]);
    expect(links[0]!.height).toBeCloseTo(0.15);
    expect(links[1]!.height).toBe(1);
    expect(links[1]!.ends[1].height).toBe(links[0]!.height);
    expect(linksOf(TREE, fine(TREE), [0, 40, 60, 90, 99, 100], [0, 1, 2, 3, 4])).toHaveLength(4);
  });

  it("has no border where a cluster is narrower than six pixels, nor where most are", () => {
    const span = { from: 0, to: 100 };
    expect(bordersOf([0, 50, 94, 100], span, 100)).toEqual([
      { at: 50, bold: true },
      { at: 94, bold: false },
    ]);
    expect(bordersOf([0, 50, 95, 100], span, 100)).toEqual([{ at: 50, bold: true }]);
    expect(bordersOf([0, 50, 90, 93, 96, 100], span, 100)).toEqual([]);
    expect(bordersOf([0, 30, 60, 70, 80, 90, 100], span, 100).map(({ bold }) => bold)).toEqual(Array(5).fill(false));
  });

  it("knows the members of a branch from those of its clusters, and how sure they are at that level", () => {
    const known = TREE.sizes.map((size, label) => ({
      label,
      size,
      members: [`${label}a`, `${label}b`],
      confidence: label / 4,
    }));
    const two = { tree: TREE, cut: cut(TREE, 2), number: 2, most: 4 };
    const curves = { levels: [2, 3], cluster_confidence: [[0.9, 0.7], [1, 1, 1]] } as unknown as AxisCurves;
    const [first, second] = sizesOf(two, known, curves);
    expect(first).toEqual({ label: 0, size: 60, members: ["0a", "0b", "1a", "1b"], confidence: 0.9 });
    expect(second).toMatchObject({ members: ["2a", "2b", "3a", "3b"], confidence: 0.7 });
    // How sure the clusters of the run are says nothing of a level.
    expect(sizesOf(two, known, undefined).map(({ confidence }) => confidence)).toEqual([undefined, undefined]);
    const all = sizesOf({ tree: TREE, cut: fine(TREE), number: null, most: 4 }, known, curves);
    expect(all.map(({ confidence }) => confidence)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });
});

describe("what there is to choose a level by", () => {
  const chains: AxisCurves = {
    clusters: 3,
    fine: 30,
    reason: "agreement",
    levels: [2, 3, 4],
    lost: [50, 20, 5],
    ratio: null,
    agreement: [0.9, 0.85],
    confidence: [0.95, 0.9, 0.6],
    cluster_confidence: null,
  };
  const alone: AxisCurves = { ...chains, reason: "losses", ratio: [1.5, 2], agreement: null, confidence: null };

  it("is how far chains agree, or how much each merge costs of one chain", () => {
    expect(chartsOf([chains, chains]).map(({ title }) => title)).toEqual(["Agreement and confidence", "Log joint lost"]);
    expect(chartsOf([alone, alone]).map(({ title }) => title)).toEqual(["Step", "Log joint lost"]);
    expect(chartsOf([{ ...alone, confidence: [1, 1, 1] }]).map(({ title }) => title)).toEqual([
      "Step",
      "Confidence",
      "Log joint lost",
    ]);
  });

  it("has a line for each figure that is known, as far as it is", () => {
    const [agreed, lost] = chartsOf([chains]);
    expect(linesOf(agreed!, chains)).toEqual([
      { label: "Agreement of the chains", x: [2, 3], y: [0.9, 0.85] },
      { label: "Confidence", x: [2, 3, 4], y: [0.95, 0.9, 0.6] },
    ]);
    expect(linesOf(agreed!, alone)).toEqual([]);
    expect(linesOf(lost!, alone)).toEqual([{ label: "Log joint lost", x: [2, 3, 4], y: [50, 20, 5] }]);
  });

  it("says how certain the labels of a level are, and nothing of the clusters of the run", () => {
    const curves = { sentence: "", rows: chains, columns: chains };
    const at = (rows: string, columns: string): Level => ({
      rows: branchesOf({ ...TREE, sizes: TREE.sizes }, rows, undefined),
      columns: branchesOf(TREE, columns, undefined),
    });
    expect(certaintyAt(curves, at("3", "2"))).toBe(
      "How certain labels are at this level, on average: rows 90 %, columns 95 %.",
    );
    expect(certaintyAt(curves, at("3", FINE))).toBe("How certain labels are at this level, on average: rows 90 %.");
    expect(certaintyAt(curves, at(FINE, FINE))).toBe("");
    expect(certaintyAt({ ...curves, rows: alone, columns: { ...alone, confidence: [1, 0.5, 1] } }, at("3", "3"))).toBe(
      "How certain labels are at this level, on average, by one chain: columns 50 %.",
    );
    expect(certaintyAt(null, at("3", "2"))).toBe("");
  });
});
