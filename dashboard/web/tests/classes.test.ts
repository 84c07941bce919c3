import { describe, expect, it } from "vitest";

import { UNKNOWN, classesFrom, crossed, mostCommon } from "../src/classes/classes";
import { ASIDE } from "../src/levels/tree";
import { inOrder, rosterAt } from "../src/members/roster";

const WORDS = ["x", "y", "x", "", "x", "y"];

describe("known classes", () => {
  it("are numbered from the largest on, and what is not known has no number", () => {
    const classes = classesFrom(WORDS)!;
    expect(classes.names).toEqual(["x", "y"]);
    expect([...classes.of]).toEqual([0, 1, 0, UNKNOWN, 0, 1]);
    expect(classesFrom(["", ""])).toBeUndefined();
    expect(classesFrom([])).toBeUndefined();
    expect(classesFrom(Array.from({ length: 255 }, (_, i) => `c${i}`))).toBeUndefined();
  });

  it("follow the order in which items are shown, and the clusters of a level", () => {
    // Clusters 0 (items 1, 3, 5), 1 (item 0) and 2 (items 2, 4), shown as 2, 0, 1.
    const roster = inOrder(["a", "b", "c", "d", "e", "f"], [1, 0, 2, 0, 2, 0], [0, 2, 5, 6], [2, 0, 1], WORDS);
    expect([...roster.classes!.of]).toEqual([0, 0, 1, UNKNOWN, 1, 0]);
    expect(crossed(roster.classes!, roster)).toEqual([
      { cluster: 0, size: 3, counts: [0, 2], unknown: 1 },
      { cluster: 1, size: 1, counts: [1, 0], unknown: 0 },
      { cluster: 2, size: 2, counts: [2, 0], unknown: 0 },
    ]);
    const merged = rosterAt(roster, [0, ASIDE, 0]);
    expect(crossed(merged.classes!, merged)).toEqual([
      { cluster: 0, size: 5, counts: [2, 2], unknown: 1 },
      { cluster: ASIDE, size: 1, counts: [1, 0], unknown: 0 },
    ]);
  });

  it("are drawn by what most items of a pixel are", () => {
    const classes = classesFrom(WORDS)!;
    expect(mostCommon(classes, 0, 3)).toBe(0);
    expect(mostCommon(classes, 5, 6)).toBe(1);
    expect(mostCommon(classes, 3, 4)).toBe(UNKNOWN);
  });
});
