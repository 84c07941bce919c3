import { describe, expect, it } from "vitest";

import type { Verdict } from "../src/api/types";
import { type RunRecord, answersOf } from "../src/pages/run/record";
import { adviceOf, doubtOf } from "../src/ui/Doubt";

const stuck: Verdict = {
  kind: "stuck",
  chains: 2,
  rows: "settled",
  columns: "stuck",
  log_joint: "stuck",
  r_hat: 10.812,
  ari: 0.62,
};

describe("whether chains agree", () => {
  it("is told by axis and R-hat, as the command line does", () => {
    expect(doubtOf(stuck)).toBe("columns and log joint, R-hat 10.8");
    expect(doubtOf({ ...stuck, rows: "stuck" })).toBe("rows, columns and log joint, R-hat 10.8");
    expect(doubtOf({ ...stuck, kind: "short", columns: "settled", log_joint: "short", r_hat: 1.018 })).toBe(
      "log joint, R-hat 1.018",
    );
    expect(doubtOf({ ...stuck, r_hat: null })).toBe("columns and log joint, ARI between chains 0.62");
    expect(doubtOf({ ...stuck, columns: "short", r_hat: null })).toBe("log joint");
    expect(doubtOf({ ...stuck, r_hat: null, ari: null })).toBe("columns and log joint");
  });

  it("is not told where there is no doubt, or no verdict", () => {
    expect(doubtOf(null)).toBeNull();
    for (const kind of ["settled", "undefined", "one_chain", "no_draws"] as const) {
      expect(doubtOf({ ...stuck, kind })).toBeNull();
    }
  });

  it("gives other advice to stuck chains than to short ones", () => {
    expect(adviceOf(stuck)).toContain("a crossed start");
    expect(adviceOf({ ...stuck, kind: "short" })).toBe("Longer chains may settle it.");
  });
});

describe("what each chain found", () => {
  const answer = (chain: number, reported: boolean) => ({
    chain,
    reported,
    mean_log_joint: -1234.5 - chain,
    row_clusters: 22,
    column_clusters: 131 + chain,
    row_ari: 1,
    column_ari: chain === 0 ? 1 : -0.02,
  });
  const record = (...answers: ReturnType<typeof answer>[]): RunRecord => ({
    estimate: "consensus",
    warnings: [],
    posterior: {
      draws: 50,
      shown: "",
      answers,
      row_clusters: { "22": 1 },
      column_clusters: { "131": 1 },
      mean_confidence: { rows: 1, columns: 1 },
    },
  });

  it("is told where one of them is shown", () => {
    expect(answersOf(record(answer(0, true), answer(1, false)))).toEqual([
      "Chain 0: 22 × 131, mean log joint −1,234.5. This is the result.",
      "Chain 1: 22 × 132, mean log joint −1,235.5. Adjusted Rand index with the result: rows 1.00, columns −0.02.",
    ]);
    const many = [0, ...Array.from({ length: 11 }, (_, i) => i + 1)].map((chain) => answer(chain, chain === 0));
    expect(answersOf(record(...many)).at(-1)).toBe("And 4 more chains: posterior.answers in run.json.");
  });

  it("is not told where all are taken together, or there is one, or none", () => {
    expect(answersOf(record(answer(0, true), answer(1, true)))).toEqual([]);
    expect(answersOf(record(answer(0, true)))).toEqual([]);
    expect(answersOf({ estimate: "last", warnings: [] })).toEqual([]);
  });
});
