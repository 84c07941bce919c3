/** What the server found odd in a table, in the words of the pages. */
import type { Preflight } from "../../api/types";
import { count as written, number } from "../../ui/format";

const TEXT_COLUMN = /pass --id-column (.+) if it names the rows or --row-classes .+ if it holds their classes/;

/** Labels of the page's fields for options of the command line. */
const LABELS: Record<string, string> = {
  "id-column": "Names of the rows",
  "row-classes": "Known classes of the rows",
  header: "First line",
  delimiter: "Separator of cells",
  decimal: "Decimal mark",
  thousands: "Thousands are grouped by",
  missing: "Text that marks a missing cell",
  "drop-column": "Columns to leave out",
  transpose: "Swap rows and columns",
  layout: "Layout",
};

/** What the command line's words are on this page, as a sentence. */
export function inPages(text: string): string {
  const said = text
    .replace(TEXT_COLUMN, "say if $1 names the rows, or holds their classes")
    .replace(/--([a-z-]+) \S+ overrules it/g, "--$1 overrules it")
    .replace(/--row-classes (.+) leaves it out, --drop-column leaves columns out/, "choose $1 under --row-classes, or under --drop-column")
    .replace(/--id-column (.+) makes it the row names, --drop-column leaves columns out/, "choose $1 under --id-column, or under --drop-column")
    .replace(/--transform ([\w,-]+)/g, "the transform $1")
    .replace(/--([a-z-]+)/g, (_, name: string) => (LABELS[name] === undefined ? name : `“${LABELS[name]}”`))
    .replace(/\b\d(\.\d+)?e\+\d+\b/g, (value) => number(Number(value)));
  // The name of a file stays as it is.
  return /^[a-z]+[ ;:,]/.test(said) ? said.charAt(0).toUpperCase() + said.slice(1) : said;
}

/** One line for each odd thing. */
export function warningsOf(report: Preflight): string[] {
  const kinds: [Preflight["empty_rows"], string, string, string][] = [
    [report.constant_columns, "column has", "columns have", "one value only, which tells nothing about the rows"],
    [report.empty_columns, "column is", "columns are", "empty"],
    [report.empty_rows, "row is", "rows are", "empty"],
    [report.duplicate_names, "name stands", "names stand", "above several columns; they are told apart by their place"],
    [report.duplicate_columns, "column equals", "columns equal", "an earlier one"],
  ];
  const found = kinds
    .filter(([{ count }]) => count > 0)
    .map(([{ count, names }, one, more, what]) => {
      const rest = count > names.length ? ", …" : "";
      return `${written(count)} ${count === 1 ? one : more} ${what}: ${names.join(", ")}${rest}`;
    });
  return [...report.notes.map(inPages), ...found];
}
