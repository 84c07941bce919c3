/** What repeats a run: a command, a piece of Python, or a request to the API. */
import { stringify } from "../api/json";
import { FIELDS, OF_RUN } from "../pages/new/parameters";
import { AS_IT_IS, type Reading } from "../pages/new/reading";

/** What a run was asked for. */
export interface Asked {
  /** Name of the file. */
  readonly file: string;
  readonly reading: Partial<Reading>;
  readonly transform: string;
  /** As many as it had; "auto" before that is known. */
  readonly shards: number | string;
  /** What the shards are of. */
  readonly axis: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Options of `disnplbm fit` that go by another name than the field. */
const FLAGS: Readonly<Record<string, string>> = {
  axis: "shard-axis",
  class_column: "row-classes",
  drop_columns: "drop-column",
  words: "cells",
};

/** Parameters of NPLBM that go by another name than the option. */
const PARAMETERS: Readonly<Record<string, string>> = {
  iterations: "n_iterations",
  shards: "n_shards",
  axis: "shard_axis",
  seed: "random_state",
  draws: "n_draws",
  chains: "n_chains",
  restarts: "n_restarts",
  transform: "column_transform",
};

/** What is not as it is by default, in the order of the form; the lengths and the seed always. */
function given({ transform, shards, axis, options }: Asked): [name: string, value: unknown][] {
  const known: Readonly<Record<string, unknown>> = { ...options, transform, shards, axis };
  return FIELDS.filter(({ name }) => name !== "name").flatMap(({ name, default: usual }): [string, unknown][] => {
    const value = known[name];
    if (value === null || value === undefined) return [];
    const always = name === "iterations" || name === "seed" || (name === "burn_in" && value !== 0);
    return always || String(value) !== usual ? [[name, value]] : [];
  });
}

/** Fields of a reading that are not as they are by default. */
const readAs = (reading: Partial<Reading>): [name: keyof Reading, value: unknown][] =>
  (Object.keys(AS_IT_IS) as (keyof Reading)[]).flatMap((name): [keyof Reading, unknown][] =>
    name in reading && JSON.stringify(reading[name]) !== JSON.stringify(AS_IT_IS[name]) ? [[name, reading[name]]] : [],
  );

/** A word of a command, in quotes where a shell would take it apart. */
const word = (text: string): string => (/^[\w./,:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const flag = (name: string): string => `--${FLAGS[name] ?? name.replaceAll("_", "-")}`;

/** `disnplbm fit` with what it needs to give the same result. */
export function commandOf(asked: Asked): string {
  const read = readAs(asked.reading).flatMap(([name, value]): string[][] => {
    if (name === "transpose") return [["--transpose"]];
    if (name === "words") return value === "yes" ? [[flag(name), "categorical"]] : [];
    if (name === "header") return [[flag(name), value ? "yes" : "no"]];
    return [value].flat().map((each) => [flag(name), String(each)]);
  });
  const set = given(asked).map(([name, value]) => [flag(name), value === true ? "on" : value === false ? "off" : String(value)]);
  const named = new Set(set.map(([name]) => name));
  // The type of the cells says whether words are categories.
  const lines = [...read.filter(([name]) => name !== "--cells" || !named.has("--cells")), ...set];
  return broken(["disnplbm fit", word(asked.file)].join(" "), lines.map((words) => words.map(word).join(" ")));
}

/** A command on lines of some length, which a shell reads as one. */
function broken(first: string, parts: readonly string[]): string {
  const lines = [first];
  for (const part of parts) {
    const now = lines.at(-1)!;
    if (now.length + part.length < 100) lines[lines.length - 1] = `${now} ${part}`;
    else lines.push(`  ${part}`);
  }
  return lines.join(" \\\n");
}

/** NPLBM with the same parameters, on a table that is read by pandas where the file is one of text. */
export function pythonOf(asked: Asked): string {
  const set = given(asked).map(([name, value]) => `${PARAMETERS[name] ?? name}=${literal(value)}`);
  const [needed, ...table] = tableOf(asked);
  return [
    ...(needed === "" ? [] : [needed]),
    "from disnplbm import NPLBM",
    "",
    ...table,
    `model = NPLBM(${set.join(", ")})`,
    "model.fit(table)",
    "",
  ].join("\n");
}

/** How Python gets at the table: the import that it needs, or "", and the lines that read it. */
function tableOf({ file, reading }: Asked): readonly string[] {
  const { id_column, class_column, drop_columns = [], transpose } = { ...AS_IT_IS, ...reading };
  const kind = /\.(csv|tsv|txt|parquet|npy|h5ad)(\.gz)?$/i.exec(file)?.[1]?.toLowerCase();
  const name = literal(file);
  if (kind === "npy") return ["import numpy as np", `table = np.load(${name})`];
  if (kind === "h5ad") return ["import anndata", `table = anndata.read_h5ad(${name})`];
  if (kind === undefined) return ["", `table = ...  # what ${file} holds`];
  const named = id_column !== null && id_column !== "none";
  const out = [...(class_column === null ? [] : [class_column]), ...drop_columns];
  const sign = kind === "csv" ? "" : ', sep="\\t"';
  const read =
    kind === "parquet"
      ? `pd.read_parquet(${name})${named ? `.set_index(${literal(id_column)})` : ""}`
      : `pd.read_csv(${name}${sign}${named ? `, index_col=${literal(id_column)}` : ""})`;
  const kept = out.length > 0 ? `.drop(columns=[${out.map(literal).join(", ")}])` : "";
  return ["import pandas as pd", `table = ${read}${kept}${transpose ? ".T" : ""}`];
}

/** A value as Python writes it. */
function literal(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** The request that submits it again to a server; a token is needed where people sign in. */
export function requestOf(asked: Asked, dataset: string, name: string, server: string, token: boolean): string {
  const body: Record<string, unknown> = { dataset, name };
  const options: Record<string, unknown> = {};
  for (const [field, value] of given(asked)) (OF_RUN.includes(field) ? body : options)[field] = value;
  return broken(`curl ${word(`${server}/api/v1/runs`)}`, [
    ...(token ? ['--header "Authorization: Bearer $DISNPLBM_TOKEN"'] : []),
    '--header "Content-Type: application/json"',
    `--data ${word(stringify({ ...body, options }))}`,
  ]);
}
