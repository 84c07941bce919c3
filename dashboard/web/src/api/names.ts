/** What the pages call the options that notes and errors name. */
import { FIELDS } from "../pages/new/parameters";
import { LABELS } from "../pages/new/reading";
import type { components } from "./schema";

export type Note = components["schemas"]["NoteAnswer"];
export type Hint = components["schemas"]["HintAnswer"];

/** A text for people, with the options that it names where it names any. */
export type Noted = string | Note;

const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(LABELS),
  ...FIELDS.map(({ name, label }) => [name, label] as const),
]);

/** An option, with the value that it should get: "Transform: standardize". */
export function nameOf({ option, value }: Hint): string {
  const name = NAMES.get(option) ?? option;
  if (value === null) return name;
  if (typeof value === "boolean") return `${name}: ${value ? "yes" : "no"}`;
  return `${name}: ${Array.isArray(value) ? value.join(", ") : value}`;
}

/** A text as a string. */
export const textOf = (text: Noted): string =>
  typeof text === "string" ? text : text.parts.map((part) => (typeof part === "string" ? part : nameOf(part))).join("");

/** A text with a capital in front. */
export function capitalised(text: Noted): Noted {
  const [first = "", ...rest] = typeof text === "string" ? [text] : text.parts;
  if (typeof first !== "string") return text;
  const start = first.charAt(0).toUpperCase() + first.slice(1);
  return typeof text === "string" ? start : { ...text, parts: [start, ...rest] };
}
