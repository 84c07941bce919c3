/** Values of parameters as people read them. */
import { OPTIONS } from "../../api/options";
import * as format from "../../ui/format";

/** Values of a list that are named. */
const MOST = 8;

/** A value as it stands beside its name; what is not given is what holds in its place. */
export function shown(value: unknown, name = ""): string {
  if (value === null || value === undefined) return OPTIONS.find((option) => option.name === name)?.placeholder ?? "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  // Seeds as they were typed, without commas.
  if (name === "seed" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isInteger(value) ? format.count(value) : format.number(value, 6);
  if (Array.isArray(value)) {
    const more = value.length > MOST ? ` and ${format.count(value.length - MOST)} more` : "";
    return value.slice(0, MOST).map((each) => shown(each)).join(", ") + more;
  }
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([part, each]) => `${part.replaceAll("_", " ")} ${shown(each)}`)
      .join(", ");
  }
  return String(value);
}

/** The largest seed that there is: 2^63 - 1. */
const LAST_SEED = 2n ** 63n - 1n;

/** Another seed than a run's: the next one. */
export function seedAfter(seed: unknown): bigint {
  const now = typeof seed === "bigint" || (typeof seed === "number" && Number.isInteger(seed)) ? BigInt(seed) : -1n;
  return now < LAST_SEED ? now + 1n : 0n;
}
