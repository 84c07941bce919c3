import { describe, expect, it } from "vitest";

import { factorsOf, inWords, plain } from "../src/pages/new/factors";
import { ADVANCED, MAIN, aboutOf, asked, faultOf, fieldsFor, hintOf } from "../src/pages/new/parameters";

const fields = [...MAIN, ...ADVANCED.flatMap((group) => group.fields)];
const field = (name: string) => fields.find((each) => each.name === name)!;

describe("what the cells are", () => {
  it("is asked before the transform, which is of real numbers", () => {
    const names = MAIN.map(({ name }) => name);
    expect(names.indexOf("cells")).toBe(names.indexOf("transform") - 1);
    expect(field("cells").choices!.map(([value]) => value)).toEqual([
      "auto",
      "gaussian",
      "counts",
      "binary",
      "categorical",
      "responses",
    ]);
    expect(names.filter((name) => name === "cells")).toHaveLength(1);
  });

  it("goes with what counts are compared with, among what few need", () => {
    const group = ADVANCED.find(({ fields }) => fields.some(({ name }) => name === "exposure"))!;
    expect(group.title).toBe("Prior and likelihood");
    expect(asked({ cells: "counts", exposure: "none" })).toEqual({ options: { cells: "counts", exposure: "none" } });
    expect(asked({ cells: "auto" })).toEqual({ options: {} });
    expect(field("exposure").choices!.map(([value]) => value)).toEqual(["margins", "none", "given"]);
    expect(field("exposure").hint).toContain("let expect (margins), nothing (none), or factors that you know");
  });
});

describe("factors from files", () => {
  const named = plain({ ids: ["a", "b"], labels: [1, 2.5] });
  const files = { row: { name: "sizes.csv", factors: named }, column: { name: "f.npy", factors: plain({ ids: null, labels: [3] }) } };

  it("go with a run that compares counts with them, and with no other", () => {
    expect(factorsOf({ exposure: "given" }, files)).toEqual({
      row_factors: { ids: ["a", "b"], labels: [1, 2.5] },
      column_factors: [3],
    });
    expect(factorsOf({ exposure: "given" }, { row: files.row })).toEqual({ row_factors: named });
    expect(factorsOf({ exposure: "none" }, files)).toEqual({});
  });

  it("say how they are matched", () => {
    expect(inWords(files.row, "row")).toBe("2 factors, matched by the names of the rows.");
    expect(inWords(files.column, "column")).toBe("1 factor, taken in the order of the columns.");
  });
});

describe("bounds of the form's fields", () => {
  it("are there for every option that is a number, and for no other", () => {
    for (const each of fields)
      expect(each.bounds !== undefined).toBe(["whole", "number", "concentration", "shards"].includes(each.kind));
  });

  it("are kept by the defaults", () => {
    for (const each of fields) expect(faultOf(each, each.default)).toBe("");
  });

  it("hold at both ends", () => {
    for (const each of fields) for (const end of each.bounds ?? []) expect(faultOf(each, end)).toBe("");
  });

  it("say of a level what it may be", () => {
    const clusters = field("clusters");
    for (const level of ["auto", "fine", "5", "5x4", "autox4", "5xfine"]) expect(faultOf(clusters, level)).toBe("");
    for (const none of ["0", "5 x 4", "5x", "x4", "5x4x3", "many"]) expect(faultOf(clusters, none)).toMatch(/^Type auto, fine, a number/);
  });

  it("are said where something else is typed", () => {
    expect(faultOf(field("chains"), "1001")).toBe("Type a whole number from 1 to 1,000.");
    expect(faultOf(field("iterations"), "2.5")).toBe("Type a whole number from 1 to 10,000,000.");
    expect(faultOf(field("seed"), "9223372036854775808")).toMatch(/to 9,223,372,036,854,775,807\.$/);
    expect(faultOf(field("alpha"), "1e308")).toBe("Type a number from 1e-9 to 1e9, or the word learn.");
    expect(faultOf(field("shards"), "some")).toBe("Type a whole number from 1 to 10,000, or the word auto.");
    expect(faultOf(field("power"), "0")).toBe("Type a number from 1e-6 to 1.");
  });

  it("are said in the hint", () => {
    expect(hintOf(field("restarts"))).toMatch(/From 1 to 1,000\.$/);
    expect(hintOf(field("name"))).toBe(field("name").hint);
  });

  it("leave the words that may stand in place of a number", () => {
    expect(faultOf(field("alpha"), "learn")).toBe("");
    expect(faultOf(field("shards"), "auto")).toBe("");
  });
});

describe("parameters that say nothing of a run", () => {
  const counts = { cells: "counts", sampler: "split-merge", dimension: 1 };
  const numbers = { cells: "gaussian", sampler: "collapsed", dimension: 1 };
  const named = (about: typeof counts, values = {}) =>
    new Set(fieldsFor(fields, values, about).map(({ name }) => name as string));

  it("are not asked", () => {
    for (const name of ["kappa0", "psi0_factor", "prior_scale", "covariance", "transform", "join", "view"]) {
      expect(named(counts).has(name)).toBe(false);
    }
    expect(named(counts).has("exposure")).toBe(true);
    expect(named(numbers).has("exposure")).toBe(false);
    expect(named(numbers).has("kappa0")).toBe(true);
    expect(named(numbers).has("covariance")).toBe(false);
    expect(named({ ...numbers, dimension: 2 }).has("covariance")).toBe(true);
  });

  it("are asked where they are set, or where nobody knows", () => {
    expect(named(counts, { kappa0: "2" }).has("kappa0")).toBe(true);
    const unknown = { cells: "auto", sampler: "auto", dimension: 2 };
    expect(named(unknown).size).toBe(fields.length);
  });

  it("depend on the type of cells that is chosen, or found", () => {
    expect(aboutOf({}, { cells: "counts", dimension: 1 }).cells).toBe("counts");
    expect(aboutOf({ cells: "gaussian" }, { cells: "counts", dimension: 1 }).cells).toBe("gaussian");
  });
});
