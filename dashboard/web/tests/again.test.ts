import { describe, expect, it } from "vitest";

import { type Asked, commandOf, pythonOf, requestOf } from "../src/again/commands";

const OPTIONS = {
  iterations: 200,
  burn_in: 100,
  draws: null,
  chains: 4,
  seed: 9007199254740993n,
  alpha: "learn",
  beta: 1,
  pair_moves: false,
  cells: "auto",
};

const asked: Asked = {
  file: "my wine.csv",
  reading: { id_column: "bottle", class_column: "class", header: "auto", missing: ["?", "-9"], transpose: true },
  transform: "standardize",
  shards: 2,
  axis: "auto",
  options: OPTIONS,
};

describe("what repeats a run", () => {
  it("is a command with what is not as it is by default, in quotes where a shell needs them", () => {
    const words = commandOf(asked).replaceAll(/ \\\n +/g, " ");
    expect(words).toBe(
      "disnplbm fit 'my wine.csv' --id-column bottle --row-classes class --missing '?' --missing -9 --transpose " +
        "--transform standardize --iterations 200 --burn-in 100 --seed 9007199254740993 --chains 4 --alpha learn " +
        "--shards 2 --pair-moves off",
    );
    expect(Math.max(...commandOf(asked).split("\n").map((line) => line.length))).toBeLessThan(110);
    const bare = { ...asked, file: "it's.npy", reading: {}, transform: "none", shards: "auto", options: { iterations: 5, seed: 0 } };
    expect(commandOf(bare)).toBe("disnplbm fit 'it'\\''s.npy' --iterations 5 --seed 0");
    expect(commandOf({ ...bare, reading: { words: "yes", header: false } })).toContain("--header no --cells categorical");
  });

  it("is NPLBM with the same parameters", () => {
    expect(pythonOf(asked)).toBe(
      [
        "import pandas as pd",
        "from disnplbm import NPLBM",
        "",
        'table = pd.read_csv("my wine.csv", index_col="bottle").drop(columns=["class"]).T',
        'model = NPLBM(column_transform="standardize", n_iterations=200, burn_in=100, ' +
          'random_state=9007199254740993, n_chains=4, alpha="learn", n_shards=2, pair_moves=False)',
        "model.fit(table)",
        "",
      ].join("\n"),
    );
  });

  it("is a request with a body of JSON", () => {
    const request = requestOf({ ...asked, options: { ...OPTIONS, seed: 3 } }, "abcd", "first", "http://127.0.0.1:8000", true);
    const body = /--data '(.*)'/.exec(request)![1]!;
    expect(JSON.parse(body)).toEqual({
      dataset: "abcd",
      name: "first",
      transform: "standardize",
      shards: 2,
      options: { iterations: 200, burn_in: 100, seed: 3, chains: 4, alpha: "learn", pair_moves: false },
    });
    expect(request).toContain("Bearer $DISNPLBM_TOKEN");
    expect(request.startsWith("curl http://127.0.0.1:8000/api/v1/runs ")).toBe(true);
  });
});
