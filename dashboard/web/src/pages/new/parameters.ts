/** What can be set of a run, how it is asked for, and what it makes of the time. */
import { wholeNumber } from "../../api/json";
import type { Hint } from "../../api/names";
import { OPTIONS, SHARDS, TRANSFORMS } from "../../api/options";
import { shortChains } from "../../api/shortChains";
import type { Preflight, Run, RunChanges, RunOptions } from "../../api/types";

type OptionName = keyof RunOptions;

/** Fields by name, as they were typed; "" is the default. */
export type Values = Partial<Record<FieldName, string>>;
export type FieldName = OptionName | "name" | "transform" | "shards" | "axis";

export interface Field {
  name: FieldName;
  label: string;
  hint: string;
  /** "steps" are choices in order, "concentration" is a number or "learn"; "shards" a number or "auto". */
  kind: "text" | "steps" | "whole" | "number" | "choice" | "concentration" | "shards" | "switch";
  /** What holds if nothing is typed. */
  default: string;
  /** What stands in the empty field where the default depends on other fields. */
  placeholder?: string;
  choices?: readonly (readonly [value: string, label: string])[];
  /** The least and the most that a number may be, as text: a seed may be larger than a number of JavaScript holds. */
  bounds?: readonly [least: string, most: string];
  /** What a text is like: as a regular expression, and in words. */
  form?: readonly [pattern: string, inWords: string];
  /** What it is for, where it is not for all runs; nothing is not told apart. */
  of?: { readonly cells: string | null; readonly several: boolean; readonly samplers: readonly string[] };
}

/** What tells which parameters say anything of a run. */
export interface About {
  readonly cells: string;
  readonly sampler: string;
  /** Numbers in a cell. */
  readonly dimension: number;
}

/** Whether a parameter says anything of such a run; "auto" may be anything. */
export function applies({ of }: Pick<Field, "of">, { cells, sampler, dimension }: About): boolean {
  if (of === undefined) return true;
  const fits = of.cells === null || cells === "auto" || of.cells === cells;
  const varied = of.samplers.length === 0 || sampler === "auto" || of.samplers.includes(sampler);
  return fits && varied && (!of.several || dimension > 1);
}

const choices = (...values: readonly string[]): [string, string][] => values.map((value) => [value, value]);

/** What is asked of a run besides its options, each behind the option or the group that it belongs to. */
const TRANSFORM: Field = {
  name: "transform",
  label: "Transform",
  hint: "Of real numbers: “log” for positive values that span decades, “standardize” for columns in different units.",
  kind: "steps",
  default: "none",
  choices: choices(...TRANSFORMS),
  of: { cells: "gaussian", several: false, samplers: [] },
};

const OF_SHARDS: readonly Field[] = [
  {
    name: "shards",
    label: "Shards",
    hint: "Parts of the table that are swept side by side. 1 is exact; more are faster and approximate.",
    kind: "shards",
    default: "auto",
    bounds: SHARDS,
  },
  {
    name: "axis",
    label: "Shards are of",
    hint: "“auto” takes the longer side, and of counts, 0/1 and categories the shorter one.",
    kind: "choice",
    default: "auto",
    choices: choices("auto", "rows", "columns"),
  },
];

export const MAIN: readonly Field[] = [
  { name: "name", label: "Name", hint: "To find the run by. If you leave it empty, the run is named after the file.", kind: "text", default: "" },
  // A transform is of real numbers: whether the cells are such comes before it.
  ...OPTIONS.filter(({ name }) => name === "cells"),
  TRANSFORM,
  ...OPTIONS.filter(({ name, group }) => group === "" && name !== "cells"),
];

/** Factors come as files here, and beside the options. */
const withFactors = (field: Field): Field =>
  field.name === "exposure"
    ? {
        ...field,
        hint: `${field.hint.replace(", or nothing (none)", ", nothing (none)").replace(/\.$/, "")}, or factors that you know, from files.`,
        choices: [...field.choices!, ["given", "factors from files"]],
      }
    : field;

/** The other options by their groups; shards stand behind the start. */
export const ADVANCED: readonly { title: string; fields: readonly Field[] }[] = [
  ...new Set(OPTIONS.map(({ group }) => group).filter((group) => group !== "")),
].map((title) => ({
  title,
  fields: OPTIONS.filter(({ group }) => group === title).flatMap((field) =>
    field.name === "start" ? [field, ...OF_SHARDS] : [withFactors(field)],
  ),
}));

/** Iterations where none are typed, after the burn-in; and the draws that are kept of a chain where none are typed. */
const ITERATIONS = 100;
const DRAWS = 200;

/** The server takes no more. */
export const MOST_ITERATIONS = Number(OPTIONS.find(({ name }) => name === "iterations")!.bounds![1]);

export const FIELDS: readonly Field[] = [...MAIN, ...ADVANCED.flatMap(({ fields }) => fields)];

export const OF_RUN: readonly string[] = ["name", "transform", "shards", "axis"];

/** The bounds as people read them. */
export function rangeOf(field: Field): string {
  const [least, most] = field.bounds ?? [];
  return least === undefined || most === undefined ? "" : `${inWords(least)} to ${inWords(most)}`;
}

/** What a field is for, and its bounds. */
export const hintOf = (field: Field): string => (field.bounds ? `${field.hint} From ${rangeOf(field)}.` : field.hint);

/** What is wrong with what was typed; "" if nothing is. */
export function faultOf(field: Field, typed: string): string {
  if (field.form !== undefined && typed !== "") {
    return new RegExp(`^(?:${field.form[0]})$`).test(typed) ? "" : `Type ${field.form[1]}.`;
  }
  const [least, most] = field.bounds ?? [];
  if (typed === "" || least === undefined || most === undefined) return "";
  const word = field.kind === "concentration" ? "learn" : field.kind === "shards" ? "auto" : undefined;
  if (word !== undefined && typed === word) return "";
  const whole = field.kind === "whole" || field.kind === "shards";
  const wellFormed = (whole ? /^\d+$/ : /^\d*\.?\d+([eE][+-]?\d+)?$/).test(typed);
  const within = whole
    ? wellFormed && BigInt(typed) >= BigInt(least) && BigInt(typed) <= BigInt(most)
    : Number(typed) >= Number(least) && Number(typed) <= Number(most);
  if (wellFormed && within) return "";
  return `Type a ${whole ? "whole number" : "number"} from ${rangeOf(field)}${word === undefined ? "" : `, or the word ${word}`}.`;
}

/** A number of the bounds: whole ones with their thousands apart, others short. */
function inWords(number: string): string {
  if (/^\d+$/.test(number)) return BigInt(number).toLocaleString("en");
  const value = Number(number);
  return value >= 1e6 || value < 1e-3 ? value.toExponential().replace("e+", "e") : String(value);
}

/** What is typed, or the default. */
export const valueOf = (values: Values, field: Field): string => values[field.name] || field.default;

/** The fields of a group that say anything of such a run, and those that are not as they are by default. */
export const fieldsFor = (fields: readonly Field[], values: Values, about: About): readonly Field[] =>
  fields.filter((field) => applies(field, about) || valueOf(values, field) !== field.default);

/** What is asked for of a run on a table that was checked. */
export const aboutOf = (values: Values, found: { cells: string; dimension: number }): About => ({
  cells: values.cells && values.cells !== "auto" ? values.cells : found.cells,
  sampler: values.sampler || "auto",
  dimension: found.dimension,
});

/** Whether something in this group is not as it is by default. */
export const isChanged = (values: Values, fields: readonly Field[]): boolean =>
  fields.some((field) => valueOf(values, field) !== field.default);

/** What to ask the server for: only what is not as it is by default. */
export function asked(values: Values): RunChanges {
  return changesOf(values, FIELDS.filter((field) => valueOf(values, field) !== field.default));
}

/** All of it, to overrule another run's. */
export function everything(values: Values): RunChanges {
  return changesOf(values, FIELDS);
}

function changesOf(values: Values, fields: readonly Field[]): RunChanges {
  const changes: Record<string, unknown> = {};
  const options: Record<string, unknown> = {};
  for (const field of fields) {
    const value = valueOf(values, field);
    (OF_RUN.includes(field.name) ? changes : options)[field.name] = value === "" ? null : parsed(field, value);
  }
  return { ...changes, options: options as RunOptions };
}

function parsed(field: Field, value: string): string | number | bigint | boolean {
  if (field.kind === "switch") return value === "true";
  if (["text", "choice", "steps"].includes(field.kind) || value === "learn" || value === "auto") return value;
  return (field.kind === "whole" ? wholeNumber(value) : undefined) ?? Number(value);
}

/** The fields as a run has them, to ask for the like again. */
export function valuesOf(run: Run): Values {
  const values: Values = {};
  const known: Record<string, unknown> = {
    ...run.options,
    name: run.name,
    transform: run.transform,
    shards: run.shards_wanted,
    axis: run.axis,
  };
  for (const field of FIELDS) {
    const value = known[field.name];
    if (value !== null && value !== undefined && String(value) !== field.default) values[field.name] = String(value);
  }
  return values;
}

/** What is different in the like of a run that keeps draws: as many iterations again, after those that it had. */
export function withBurnIn(run: Run): { burn_in: number; iterations: number } {
  const iterations = Math.min(2 * Number(run.options["iterations"] ?? ITERATIONS), MOST_ITERATIONS);
  return { burn_in: Math.floor(iterations / 2), iterations };
}

/** The field that a hint names with a value for it; undefined if there is none. */
export function fieldsOf({ option, value }: Hint): Values | undefined {
  return value !== null && FIELDS.some(({ name }) => name === option) ? { [option]: String(value) } : undefined;
}

/** Fields that an address sets: ?from=RUN&burn_in=100. */
export function valuesIn(query: URLSearchParams): Values {
  return Object.fromEntries(FIELDS.flatMap(({ name }) => (query.has(name) ? [[name, query.get(name)!]] : [])));
}

/** From the least to the most seconds that a run may take. */
export function secondsOf(values: Values, time: Preflight["time"]): [least: number, most: number] {
  const { chains, iterations, burnIn } = lengthsOf(values);
  const draws = values.draws ? Number(values.draws) : burnIn > 0 ? Math.min(DRAWS, iterations - burnIn) : 0;
  const consensus = time.consensus * (Math.max(draws * chains, 0) / 100 || 0);
  const all = time.start + time.iteration * iterationsOf(values) + consensus;
  return [all / time.uncertainty, all * time.uncertainty];
}

/** Iterations in all, of all chains and of the short ones that they start from. */
export function iterationsOf(values: Values): number {
  const { chains, iterations } = lengthsOf(values);
  const shorts = shortChains(values.start ?? "", wholeOf(values, "restarts"), wholeOf(values, "crossings"), iterations);
  return chains * (iterations + shorts.number * shorts.iterations);
}

/** How many chains, how long each is, and how much of it is burn-in: as the server takes what is not typed. */
function lengthsOf(values: Values): { chains: number; iterations: number; burnIn: number } {
  const chains = wholeOf(values, "chains");
  const typed = Number(values.burn_in || 0);
  const given = Number.isFinite(typed) ? typed : 0;
  const iterations = values.iterations ? wholeOf(values, "iterations") : ITERATIONS + given;
  return { chains, iterations, burnIn: values.burn_in || chains === 1 ? given : Math.floor(iterations / 2) };
}

/** What is typed, or the default, if it is a number from 1 on; else 1. */
function wholeOf(values: Values, name: FieldName): number {
  const value = Number(valueOf(values, FIELDS.find((each) => each.name === name)!));
  return Number.isFinite(value) && value >= 1 ? value : 1;
}
