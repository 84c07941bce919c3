import { describe, expect, it } from "vitest";

import { positionAtItem } from "../src/heatmap/picture";
import { around, positionOf } from "../src/heatmap/viewport";
import { ASIDE } from "../src/levels/tree";
import { inOrder, labelAt, placesOf, rosterAt, search } from "../src/members/roster";

/** Clusters 1, 0 and 2 in the order of the picture. */
const roster = inOrder(["ash", "Hue", "alcohol", "Ash", "ashen", "dash"], [0, 1, 0, 2, 1, 0], [0, 2, 5, 6], [1, 0, 2]);

describe("who is where", () => {
  it("is by cluster, in each as the file has it", () => {
    expect(roster.names).toEqual(["Hue", "ashen", "ash", "alcohol", "dash", "Ash"]);
    expect([0, 1, 2, 5].map((place) => labelAt(roster, place))).toEqual([1, 1, 0, 2]);
    expect(placesOf(roster, 0)).toEqual([2, 3, 4]);
  });

  it("goes by the branches of a level, with those set aside in one list", () => {
    const coarse = rosterAt(roster, [0, 0, ASIDE]);
    expect([placesOf(coarse, 0), placesOf(coarse, ASIDE)]).toEqual([[0, 1, 2, 3, 4], [5]]);
    expect(labelAt(coarse, 5)).toBe(ASIDE);
    expect(placesOf(rosterAt(roster, [ASIDE, 0, ASIDE]), ASIDE)).toEqual([2, 3, 4, 5]);
  });
});

describe("a search", () => {
  it("has what is the text first, then what begins with it, whatever the case", () => {
    expect(search(roster.names, " ASH ")).toEqual([2, 5, 1, 4]);
    expect(search(roster.names, "xyz")).toEqual([]);
  });

  it("of some places is among these, and all of them without a text", () => {
    expect(search(roster.names, "ash", [2, 3, 4])).toEqual([2, 4]);
    expect(search(roster.names, "", [3, 4])).toEqual([3, 4]);
    expect(search(roster.names, "  ")).toEqual([]);
  });

  it("opens the part around what was found", () => {
    expect(around("rows", 100, 1000)).toBe("85-115");
    expect([around("rows", 3, 1000), around("columns", 3, 10)]).toEqual(["0-30", ""]);
    expect([positionOf("12"), positionOf("x"), positionOf(null)]).toEqual([12, null, null]);
  });

  it("finds the pixel of a report that shows an item", () => {
    const items = { count: 6, start: [0, 2, 4, 5, 5], stop: [2, 4, 5, 6, 6], first: [], last: [], clusters: null, labels: null };
    expect([0, 3, 4, 5].map((item) => positionAtItem(items, item))).toEqual([0, 1, 2, 3]);
  });
});
