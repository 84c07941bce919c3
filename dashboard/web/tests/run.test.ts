import { describe, expect, it } from "vitest";

import type { Activity, Run, StreamTrace } from "../src/api/types";
import { matched, parsedPair } from "../src/pages/compare/contingency";
import { parsedBlocks } from "../src/pages/run/blocks";
import { itemsOf, membersOf } from "../src/pages/run/members";
import { type RunRecord, confidenceOf, estimateOf, scoresOf } from "../src/pages/run/record";
import { stragglers, workersOf } from "../src/pages/run/timeline";
import { drawn, expectedStreams, knownUpTo, merged } from "../src/pages/run/trace";
import { shown } from "../src/pages/run/values";
import { signOf } from "../src/pages/run/vitality";

const stream = (number: number, iteration: number[], short: number | null = null): StreamTrace => ({
  stream: number,
  chain: number,
  short,
  iteration,
  log_joint: iteration.map((t) => -t),
  row_clusters: iteration,
  column_clusters: iteration,
  alpha: iteration,
  beta: iteration,
  seconds: iteration,
});

describe("a trace that grows", () => {
  it("asks for what may be new", () => {
    expect(expectedStreams({ chains: 2, restarts: 3 })).toBe(8);
    expect(expectedStreams({ chains: 2, restarts: 1 })).toBe(2);
    expect(expectedStreams({ chains: 2, restarts: 1, start: "crossed", crossings: 3 })).toBe(2 * (1 + 12 + 6));
    expect(expectedStreams({})).toBe(1);
    expect(knownUpTo([stream(0, [1, 2, 3])], 1)).toBe(3);
    expect(knownUpTo([stream(0, [1, 2, 3])], 2)).toBe(0);
    expect(knownUpTo([stream(0, [1, 2, 3]), stream(1, [1])], 2)).toBe(1);
  });

  it("joins the pieces, the newer of two that overlap", () => {
    const before = [stream(0, [1, 2, 3]), stream(1, [1])];
    const after = merged(before, [stream(0, [2, 3, 4]), stream(1, [2])], 1);
    expect(after.map((each) => each.iteration)).toEqual([
      [1, 2, 3, 4],
      [1, 2],
    ]);
    expect(after[0]!.log_joint).toEqual([-1, -2, -3, -4]);
    expect(merged(before, [stream(0, [1])], 0).map((each) => each.iteration)).toEqual([[1], [1]]);
    expect(merged([], [], 0)).toEqual([]);
  });

  it("draws short chains only while there is no other", () => {
    const short = stream(1 << 20, [1], 0);
    expect(drawn([short])).toEqual([short]);
    expect(drawn([stream(0, [1]), short])).toEqual([stream(0, [1])]);
  });
});

describe("blocks.csv", () => {
  it("is a table of clusters, with what is missing", () => {
    const found = parsedBlocks(
      "k,l,rows,columns,cells,mean,sd,ppc\n0,0,3,2,6,1.5,0.5,0.3\n0,1,3,1,0,,,\n1,0,4,2,8,-2,1,\n1,1,4,1,4,7,2,0.5\n",
      0,
    );
    expect(found.rowSizes).toEqual([3, 4]);
    expect(found.columnSizes).toEqual([2, 1]);
    expect(found.grid[0]![0]).toMatchObject({ k: 0, l: 0, cells: 6, figures: { mean: 1.5, sd: 0.5 }, shape: { p: 0.3 } });
    expect(found.grid[0]![0]!.posterior).toBeUndefined();
    expect(found.grid[0]![1]!.figures.mean).toBeNaN();
    expect(found.grid[1]!.map((block) => block!.figures.mean)).toEqual([-2, 7]);
  });

  it("has numbers for each of a cell's", () => {
    expect(
      parsedBlocks("k,l,rows,columns,cells,mean_0,mean_1,sd_0,sd_1\n0,0,1,1,1,5,6,7,8\n", 1).grid[0]![0],
    ).toMatchObject({ figures: { mean: 6, sd: 8 } });
  });

  it("has shares of words, which may be quoted, as those of numbers", () => {
    const line = "0,0,2,3,6,0.5,0.3,0.2,0.5,0.3,0.2,0.4,0.2,0.1,0.6,0.4,0.3";
    const of = (words: readonly string[]): string =>
      ["share", "share_posterior", "share_low", "share_high"].flatMap((part) => words.map((word) => `${part}_${word}`)).join(",");
    const read = (head: string) => parsedBlocks(`k,l,rows,columns,cells,${head}\n${line}\n`, 0);
    const quoted = of(["red", "a, b", 'say ""x""']).replace(/share\w*_(a, b|say ""x"")/g, '"$&"');
    expect(read(quoted)).toEqual(read(of(["0", "1", "2"])));
    expect(read(quoted).categories).toBe(3);
    expect(read(quoted).grid[0]![0]!.shares).toEqual([[0, 0.5], [1, 0.3], [2, 0.2]]);
    const two = parsedBlocks("k,l,rows,columns,cells,share_yes\n0,0,2,3,6,0.25\n", 0);
    expect(two.categories).toBe(0);
    expect(two.grid[0]![0]!.figures.share).toBe(0.25);
  });

  it("has what blocks of other cells say, and no check that they are normal", () => {
    const counts = parsedBlocks("k,l,rows,columns,cells,total,rate\n0,0,2,2,4,9,1.5\n", 0);
    expect([counts.figures, counts.categories]).toEqual([["total", "rate"], 0]);
    expect(counts.grid[0]![0]).toMatchObject({ figures: { total: 9, rate: 1.5 }, shape: undefined, shares: undefined });
    expect(counts.grid[0]![0]!.dispersion).toBeUndefined();
    const varied = parsedBlocks("k,l,rows,columns,cells,total,rate,dispersion,ppc\n0,0,2,2,4,9,1.5,5.1,0.001\n", 0);
    expect(varied.grid[0]![0]).toMatchObject({ dispersion: 5.1, shape: undefined });
    const votes = parsedBlocks("k,l,rows,columns,cells,share_0,share_1,share_2\n0,0,2,2,4,0.5,0.25,0.25\n", 0);
    expect([votes.figures, votes.categories]).toEqual([["share"], 3]);
    expect(votes.grid[0]![0]!.shares).toEqual([[0, 0.5], [1, 0.25], [2, 0.25]]);
  });

  it("has the posterior of a run with draws", () => {
    const names = "k,l,rows,columns,cells,mean,sd,mean_posterior,mean_low,mean_high,sd_posterior,sd_low,sd_high";
    expect(parsedBlocks(`${names}\n0,0,1,1,1,5,6,7,-8,9,10,11,12\n`, 0).grid[0]![0]!.posterior).toEqual({
      mean: { mean: 7, low: -8, high: 9 },
      sd: { mean: 10, low: 11, high: 12 },
    });
  });

  it("may be empty or damaged", () => {
    expect(parsedBlocks("", 0)).toMatchObject({ rowSizes: [], columnSizes: [], grid: [] });
    expect(parsedBlocks("k,l\nx,y\n", 0).grid).toEqual([]);
  });
});

describe("the members of clusters", () => {
  it("are counted on to their first few, with how sure they are", () => {
    const lines = Array.from({ length: 20 }, (_, i) => `r${i},${i % 2},${i % 2 ? 0.5 : 1}`);
    const found = membersOf(itemsOf(`id,label,confidence\r\n${lines.join("\r\n")}\r\n"a, ""b""",2,0.25\r\n`));
    expect(found.map(({ confidence }) => confidence)).toEqual([1, 0.5, 0.25]);
    expect(found[1]!.names).toEqual(["r1", "r3", "r5", "r7", "r9", "r11", "r13", "r15"]);
    expect(found[2]!.names).toEqual(['a, "b"']);
  });

  it("are those of the estimate where there is a runner-up", () => {
    const found = membersOf(itemsOf("id,label,confidence,runner_up\na,0,0.95,1\nb,1,1,0\n"));
    expect(found).toEqual([
      { names: ["a"], confidence: 0.95 },
      { names: ["b"], confidence: 1 },
    ]);
  });

  it("have the known class of each, however it is written", () => {
    const text = 'id,label,confidence,known_class\na,0,0.5,oak\n"b, c",1,0.9,"a ""b"", c"\nd,0,1.0,7\ne,0,1.0,\nf,1,,1e5x\n';
    const { names, labels, confidence, classes } = itemsOf(text);
    expect(names).toEqual(["a", "b, c", "d", "e", "f"]);
    expect(labels).toEqual([0, 1, 0, 0, 1]);
    expect(confidence).toEqual([0.5, 0.9, 1, 1, NaN]);
    expect(classes).toEqual(["oak", 'a "b", c', "7", "", "1e5x"]);
    expect(itemsOf("id,label\na,0\n").classes).toEqual([]);
  });

  it("may have no confidence, and no file", () => {
    expect(itemsOf("id,label,level\na,0,-1\nb,1,0\n")).toEqual({
      names: ["a", "b"],
      labels: [0, 1],
      confidence: [NaN, NaN],
      classes: [],
    });
    expect(itemsOf("id,label,confidence,runner_up,level\na,3,0.5,1,-1\n")).toEqual({
      names: ["a"],
      labels: [3],
      confidence: [0.5],
      classes: [],
    });
    expect(membersOf(itemsOf("id,label\nx,0\ny,0\n"))).toEqual([{ names: ["x", "y"], confidence: undefined }]);
    expect(membersOf(itemsOf(""))).toEqual([]);
  });
});

describe("what run.json says", () => {
  const last: RunRecord = { estimate: "last", warnings: [] };
  const drawn: RunRecord = {
    estimate: "consensus",
    warnings: [],
    scores: { ari: 0.5776, nmi: 0.6716 },
    posterior: {
      draws: 400,
      shown: "",
      answers: [],
      row_clusters: { "9": 0.525, "10": 0.3725, "11": 0.0775, "8": 0.025 },
      column_clusters: { "9": 1 },
      mean_confidence: { rows: 0.83, columns: 0.95 },
    },
  };

  it("is which estimate it is", () => {
    expect([last, drawn, { ...drawn, estimate: "map" as const }].map(estimateOf)).toEqual([
      "The state after the last iteration.",
      "The consensus of 400 draws.",
      "The likeliest of 400 draws.",
    ]);
  });

  it("is how sure it is, and how near to what is known", () => {
    expect(confidenceOf(last)).toEqual([]);
    expect(confidenceOf(drawn)).toEqual([
      "Row labels are 83 % certain on average; row clusters: 9 in 53 %, 10 in 37 %, 11 in 7.8 %.",
      "Column labels are 95 % certain on average; column clusters: 9 in 100 %.",
    ]);
    expect(scoresOf(last)).toEqual([]);
    expect(scoresOf(drawn)).toHaveLength(1);
    expect(scoresOf(drawn)[0]).toMatch(/^Rows: adjusted Rand index 0\.58, normalised mutual information 0\.67/);
  });
});

const timing = (shard: number, seconds: number, worker = "w1", redelivered = 0) => ({
  shard,
  worker,
  waited: 0.1,
  seconds,
  source: "cache",
  redelivered,
});

describe("shards", () => {
  it("straggle when they take more than twice what is usual, and not only a moment", () => {
    expect([...stragglers([timing(0, 1), timing(1, 1.1), timing(2, 2.5)])]).toEqual([2]);
    expect([...stragglers([timing(0, 0.001), timing(1, 0.001), timing(2, 0.01)])]).toEqual([]);
    expect([...stragglers([])]).toEqual([]);
  });

  it("are summed up by worker, the slowest first", () => {
    const items = [
      { stream: 0, iteration: 1, seconds: 3, shards: [timing(0, 1), timing(1, 1), timing(2, 3, "w2", 1)] },
    ];
    expect(workersOf(items)).toEqual([
      { worker: "w2", shards: 1, seconds: 3, waited: 0.1, stragglers: 1, redelivered: 1 },
      { worker: "w1", shards: 2, seconds: 1, waited: 0.1, stragglers: 0, redelivered: 0 },
    ]);
  });
});

describe("the sign of life", () => {
  const run = {
    state: "RUNNING",
    stage: "sampling",
    progress: { done: 4, total: 10 },
    started_at: null as string | null,
  } as Run;
  const activity: Activity = { embedded: false, shards: 4, arrived: 0, workers: 0, last_seen: null };
  const known = { run, activity, others: [], seen: undefined, now: Date.parse("2026-01-01T00:01:30Z") };

  it("says that workers are waited for, and how long ago one was heard from", () => {
    expect(signOf(known)).toEqual({ text: "Waiting for workers (0 of 4)", at: null, worrying: false });
    const started = { ...run, started_at: "2026-01-01T00:01:00Z" };
    expect(signOf({ ...known, run: started })).toMatchObject({
      at: Date.parse("2026-01-01T00:01:00Z"),
      worrying: false,
    });
    const silent = signOf({ ...known, activity: { ...activity, last_seen: "2026-01-01T00:00:00Z" } });
    expect(silent).toEqual({
      text: "Waiting for workers (0 of 4)",
      at: Date.parse("2026-01-01T00:00:00Z"),
      worrying: true,
    });
    const busy = signOf({
      ...known,
      activity: { ...activity, arrived: 3, workers: 2, last_seen: "2026-01-01T00:01:29Z" },
    });
    expect(busy).toMatchObject({ text: "2 workers, 3 of 4 shards of this iteration done", worrying: false });
  });

  it("says which iteration an embedded engine does", () => {
    const embedded = { ...known, activity: { ...activity, embedded: true } };
    expect(signOf(embedded)).toEqual({ text: "Doing iteration 5 of 10", at: null, worrying: false });
    expect(signOf({ ...embedded, seen: known.now - 61_000 })).toMatchObject({ worrying: true });
    expect(signOf({ ...embedded, run: { ...run, stage: "finishing" } }).text).toBe("Writing the results");
  });

  it("says why the first iteration may take long, and that this is no fault", () => {
    const first = { ...run, progress: { done: 0, total: 10 }, started_at: "2026-01-01T00:00:10Z" };
    const embedded = { ...known, run: first, activity: { ...activity, embedded: true }, seen: known.now - 80_000 };
    expect(signOf(embedded)).toMatchObject({ worrying: false });
    expect(signOf(embedded).text).toContain("compiles its code");
    expect(signOf({ ...embedded, now: Date.parse("2026-01-01T00:00:11Z") }).text).toBe("Doing the first iteration");
  });

  it("says what a run that did not start waits for", () => {
    const pending = { ...run, state: "PENDING", stage: "reading" } as Run;
    expect(signOf({ ...known, run: pending }).text).toBe("Waiting for a worker to read the file");
    const embedded = { ...activity, embedded: true };
    expect(signOf({ ...known, run: pending, activity: embedded }).text).toBe("Reading the file");
    expect(signOf({ ...known, run: pending, activity: embedded, others: ["wine"] }).text).toBe(
      "Waits for its turn: this server does wine first",
    );
  });
});

describe("two partitions", () => {
  it("have their clusters paired off, the largest overlap first", () => {
    const table = [
      [0, 50, 1],
      [30, 2, 0],
      [0, 0, 17],
    ];
    expect(matched(table)).toEqual({ order: [1, 0, 2], agreed: 97, total: 100 });
    expect(matched([[3, 4]])).toEqual({ order: [1, 0], agreed: 4, total: 7 });
    expect(matched([[3], [4]])).toEqual({ order: [0], agreed: 4, total: 7 });
    expect(matched([])).toEqual({ order: [], agreed: 0, total: 0 });
  });

  it("are two different ones of those that there are", () => {
    expect(parsedPair("1-2", 3)).toEqual([1, 2]);
    for (const none of [null, "", "1-1", "0-3", "x"]) expect(parsedPair(none, 3)).toEqual([0, 1]);
  });
});

it("values of parameters are readable", () => {
  const values = [null, true, false, 100000, 0.25, "learn", [1, 2], { id_column: null, header: "auto" }];
  expect(values.map((value) => shown(value))).toEqual([
    "none",
    "on",
    "off",
    "100,000",
    "0.25",
    "learn",
    "1, 2",
    "id column none, header auto",
  ]);
  expect(shown(100000, "seed")).toBe("100000");
  expect(shown(null, "draws")).toBe("up to 200 with a burn-in");
});
