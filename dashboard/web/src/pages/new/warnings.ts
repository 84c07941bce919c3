/** What the server found odd in a table. */
import type { Noted } from "../../api/names";
import type { Preflight } from "../../api/types";
import { count as written } from "../../ui/format";

/** One line for each odd thing. */
export function warningsOf(report: Preflight): Noted[] {
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
  return [...report.noted, ...found];
}
