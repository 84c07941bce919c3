/** How a file is read. */
import type { Hint } from "../../api/names";
import { FORMATS } from "../../api/options";
import type { components } from "../../api/schema";
import type { Dataset } from "../../api/types";

/** What the server takes, with nothing left out. */
export type Reading = Required<components["schemas"]["Reading"]>;

export const AS_IT_IS: Reading = {
  id_column: null,
  class_column: null,
  header: "auto",
  delimiter: "auto",
  decimal: "auto",
  thousands: "none",
  missing: [],
  drop_columns: [],
  transpose: false,
  layout: "auto",
  absent: "missing",
  cell_covariates: false,
  layer: null,
  words: "auto",
};

/** How a dataset is read. */
export const readingOf = (dataset: Dataset): Reading => ({ ...AS_IT_IS, ...dataset.reading });

/** What its fields are called. */
export const LABELS: Readonly<Record<keyof Reading, string>> = {
  id_column: "Names of the rows",
  class_column: "Known classes of the rows",
  header: "First line names the columns",
  delimiter: "Separator of cells",
  decimal: "Decimal mark",
  thousands: "Thousands are grouped by",
  missing: "Text that marks a missing cell",
  drop_columns: "Columns to leave out",
  transpose: "Swap rows and columns",
  layout: "Layout",
  absent: "Pairs without a line",
  cell_covariates: "Further columns are covariates",
  layer: "Layer",
  words: "Words in cells",
};

/** A reading with what a hint names; undefined if that is no field of it, or open. */
export function withHint(reading: Reading, { option, value }: Hint): Reading | undefined {
  if (value === null || !(option in AS_IT_IS)) return undefined;
  const now = reading[option as keyof Reading];
  return { ...reading, [option]: Array.isArray(now) ? [...now, ...(value as string[])] : value };
}

/** As the id_column: no column holds names. */
export const NO_COLUMN = "none";

/** By what a file is read: by lines of text, by named columns (of several layers), or as numbers only. */
export type ReadBy = "text" | "columns" | "layers" | "numbers";

/** How a file's name says it is to be read. */
export function kindOf(name: string): ReadBy {
  return FORMATS.find(({ ending }) => name.toLowerCase().endsWith(ending))?.by ?? "numbers";
}

const WORDS: Record<string, string> = { comma: "commas", semicolon: "semicolons", tab: "tabs", space: "blanks", pipe: "pipes" };

/** What a reading says besides the defaults, one line each. */
export function linesOf(reading: Reading): string[] {
  const lines: [boolean, string][] = [
    [reading.id_column === NO_COLUMN, "No column names the rows"],
    [reading.id_column !== null && reading.id_column !== NO_COLUMN, `Row names: ${reading.id_column}`],
    [reading.class_column !== null, `Known classes: ${reading.class_column}`],
    [reading.drop_columns.length > 0, `Left out: ${reading.drop_columns.join(", ")}`],
    [reading.header !== "auto", reading.header ? "The first line names the columns" : "The first line is a row of data"],
    [reading.delimiter !== "auto", `Cells are separated by ${WORDS[reading.delimiter] ?? `“${reading.delimiter}”`}`],
    [reading.decimal !== "auto", reading.decimal === "," ? "Numbers have a decimal comma" : "Numbers have a decimal point"],
    [reading.thousands !== "none", `Thousands are grouped by “${reading.thousands}”`],
    [reading.missing.length > 0, `Missing, too: ${reading.missing.map((mark) => `“${mark}”`).join(", ")}`],
    [reading.transpose, "Rows and columns are swapped"],
    [reading.layout === "long", "Each line is a row name, a column name and a value"],
    [reading.layout === "table", "It is an ordinary table"],
    [reading.absent === "zero", "Pairs without a line are zero"],
    [reading.cell_covariates, "Further columns are covariates of the cells"],
    [reading.words === "yes", "Words are categories"],
    [reading.words === "no", "Cells are numbers"],
    [reading.layer !== null, `Layer: ${reading.layer}`],
  ];
  return lines.filter(([said]) => said).map(([, line]) => line);
}
