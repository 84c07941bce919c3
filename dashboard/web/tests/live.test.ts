import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { get } from "../src/api/client";
import { onReach } from "../src/api/reach";
import type { Run } from "../src/api/types";
import { type Seen, roughly, secondsLeft, seenWith } from "../src/pages/run/remaining";
import { spokenOf } from "../src/pages/run/vitality";

describe("a server that goes away", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("is asked until it answers, and whoever shows something of it is told once", async () => {
    const told = vi.fn();
    const stop = onReach(told);
    vi.stubGlobal("fetch", vi.fn().mockRejectedValue(new TypeError("Failed to fetch")));
    await expect(get("/runs")).rejects.toMatchObject({ kind: "away" });
    await expect(get("/runs")).rejects.toMatchObject({ kind: "away" });
    await vi.advanceTimersByTimeAsync(7000);
    expect(told.mock.calls).toEqual([[expect.any(Number)]]);
    vi.stubGlobal("fetch", vi.fn<typeof fetch>(async () => new Response("{}")));
    await vi.advanceTimersByTimeAsync(3000);
    expect(told.mock.calls).toEqual([[expect.any(Number)], [undefined]]);
    stop();
  });
});

describe("the time that is left", () => {
  const of = (...moments: readonly [at: number, done: number][]): readonly Seen[] =>
    moments.reduce<readonly Seen[]>((seen, [at, done]) => seenWith(seen, { at, done }), []);

  it("is that of the iterations of late", () => {
    expect(secondsLeft(of(), 100, 0)).toBeUndefined();
    expect(secondsLeft(of([0, 0]), 100, 5000)).toBeUndefined();
    expect(secondsLeft(of([0, 0], [1000, 10]), 100, 1000)).toBe(9);
    // The first one took a minute, because its code was compiled.
    expect(secondsLeft(of([0, 0], [60_000, 1], [61_000, 11], [92_000, 21]), 31, 92_000)).toBe(31);
  });

  it("grows no less than the next iteration takes, and begins anew where a run is taken back", () => {
    const seen = of([0, 0], [1000, 1], [2000, 2]);
    expect(secondsLeft(seen, 4, 2500)).toBe(1.5);
    expect(secondsLeft(seen, 4, 60_000)).toBe(1);
    expect(seenWith(seen, { at: 3000, done: 1 })).toEqual([{ at: 3000, done: 1 }]);
  });

  it("is said roughly", () => {
    expect([2, 12, 44, 70, 3500, 7300, 200_000].map(roughly)).toEqual([
      "a few seconds",
      "about 10 s",
      "about 45 s",
      "about 1 min",
      "about 58 min",
      "about 2 h",
      "about 2 days",
    ]);
  });
});

describe("what is read out of a run", () => {
  it("changes at quarters, and not with each iteration", () => {
    const run = (done: number): Run => ({ state: "RUNNING", stage: "sampling", progress: { done, total: 100 } }) as Run;
    const sign = { text: "Doing iteration 3 of 100", at: null, worrying: false };
    const said = Array.from({ length: 101 }, (_, done) => spokenOf(run(done), sign));
    expect(new Set(said).size).toBe(6);
    expect(spokenOf(run(50), { ...sign, worrying: true })).toBe(sign.text);
  });
});
