import { describe, expect, it } from "vitest";

import type { Run } from "../src/api/types";
import { asked, everything, iterationsOf, secondsOf, valuesOf } from "../src/pages/new/parameters";
import { sortOf, toggled } from "../src/pages/runs/sorting";

const run = (more: Partial<Run>): Run =>
  ({
    id: "0000",
    name: "x",
    dataset: { id: "1111", name: "x.csv", state: "READY", rows: 10, columns: 2, dimension: 1 },
    state: "RUNNING",
    progress: { done: 0, total: 10 },
    row_clusters: null,
    column_clusters: null,
    log_joint: null,
    elapsed_seconds: null,
    created_at: "2026-01-01T00:00:00Z",
    options: {},
    shards_wanted: "auto",
    axis: "auto",
    transform: "none",
    ...more,
  }) as Run;

describe("the order of the list", () => {
  it("is that of the address, or the usual one where that names none that there is", () => {
    expect(["-log_joint", "name", "-nonsense", "--name", "", null].map(sortOf)).toEqual([
      "-log_joint",
      "name",
      "-created",
      "-created",
      "-created",
      "-created",
    ]);
  });

  it("turns round when a head is pressed again", () => {
    expect([toggled("-created", "name", false), toggled("name", "name", false), toggled("x", "clusters", true)]).toEqual([
      "name",
      "-name",
      "-clusters",
    ]);
  });
});

describe("what is asked for", () => {
  it("is only what is not as it is by default", () => {
    expect(asked({})).toEqual({ options: {} });
    expect(asked({ name: "n", iterations: "100", seed: "7", alpha: "learn", beta: "2.5", shards: "4", pair_moves: "false" })).toEqual({
      name: "n",
      shards: 4,
      options: { iterations: 100, seed: 7, alpha: "learn", beta: 2.5, pair_moves: false },
    });
  });

  it("is all of it where another run is overruled", () => {
    const like = run({ name: "old", transform: "log1p,center", options: { iterations: 50, draws: null, alpha: "learn" } });
    expect(valuesOf(like)).toEqual({ name: "old", transform: "log1p,center", iterations: "50", alpha: "learn" });
    expect(everything({ ...valuesOf(like), transform: "", iterations: "" })).toMatchObject({
      name: "old",
      transform: "none",
      shards: "auto",
      options: { iterations: null, burn_in: null, draws: null, alpha: "learn", pair_moves: true, fix_row_clusters: null },
    });
  });

  it("takes the time of all its chains", () => {
    expect(iterationsOf({})).toBe(100);
    expect(iterationsOf({ burn_in: "30" })).toBe(130);
    expect(iterationsOf({ iterations: "250", chains: "2", restarts: "4" })).toBe(2 * (250 + 4 * 25));
    expect(iterationsOf({ start: "crossed" })).toBe(100 + 1040);
    expect(iterationsOf({ start: "crossed", crossings: "1", chains: "2" })).toBe(2 * (100 + 14 * 20));
    expect(iterationsOf({ iterations: "-" })).toBe(1);
  });

  it("is between two bounds, and knows what draws take", () => {
    const time = {
      ...{ start: 1, iteration: 0.1, consensus: 5, uncertainty: 2 },
      ...{ row_clusters: 3, column_clusters: 2, seconds: 11, seconds_with_draws: 26 },
    };
    expect(secondsOf({}, time)).toEqual([11 / 2, 11 * 2]);
    expect(secondsOf({ burn_in: "100" }, time)).toEqual([26 / 2, 26 * 2]);
    expect(secondsOf({ iterations: "100", draws: "40", chains: "2" }, time)).toEqual([25 / 2, 25 * 2]);
    // Half of each of four chains is burn-in, and 200 of the rest are kept: 1 + 400 + 8 x 5.
    expect(secondsOf({ iterations: "1000", chains: "4" }, time)).toEqual([441 / 2, 441 * 2]);
    // 1 + 100 + 2 x 5.
    expect(secondsOf({ iterations: "1000", burn_in: "500" }, time)).toEqual([111 / 2, 111 * 2]);
  });
});
