/** Values of parameters as people read them. */
import * as format from "../../ui/format";

export function shown(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  // Seeds and the like as they were typed, without commas.
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : format.number(value, 6);
  return typeof value === "string" ? value : JSON.stringify(value);
}
