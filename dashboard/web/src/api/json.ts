/** JSON in which whole numbers stay exact: those that a double cannot hold are of type bigint, in both directions. */

/** A text, or a number with its point and exponent; a text is matched as a whole, so that no number in it is found. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Shorter numbers are safe. */
const LONG = /\d{16}/;

/** Marks a whole number on its way through the browser's own JSON; no answer and no form has this character. */
const MARK = "\u0000";

const MARKED = new RegExp(`^${MARK}-?\\d+$`);

/** What a JSON text holds. */
export function parse(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) => (isUnsafe(token) ? JSON.stringify(MARK + token) : token));
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && MARKED.test(value) ? BigInt(value.slice(1)) : value,
  );
}

/** A value as JSON text. */
export function stringify(value: unknown): string {
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? `${MARK}${each}` : each));
  return text.replace(/"\\u0000(-?\d+)"/g, "$1");
}

/** A whole number as it was typed: exact, however large; undefined if it is none. */
export function wholeNumber(text: string): number | bigint | undefined {
  if (!/^\s*\d+\s*$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text.trim());
}

const isUnsafe = (token: string): boolean => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
