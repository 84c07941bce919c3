/** Values of parameters as people read them. */
import * as format from "../../ui/format";

export function shown(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  // Seeds and the like as they were typed, without commas.
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : format.number(value, 6);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The largest seed that there is: 2^63 - 1. */
const LAST_SEED = 2n ** 63n - 1n;

/** Another seed than a run's: the next one. */
export function seedAfter(seed: unknown): bigint {
  const now = typeof seed === "bigint" || (typeof seed === "number" && Number.isInteger(seed)) ? BigInt(seed) : -1n;
  return now < LAST_SEED ? now + 1n : 0n;
}
