/** Orders of the list, which the server sorts; "-" before a name turns one round. */

const NAMES = [
  "created",
  "name",
  "state",
  "dataset",
  "cells",
  "clusters",
  "log_joint",
  "progress",
  "elapsed",
] as const;

export type SortName = (typeof NAMES)[number];

/** The newest first. */
export const DEFAULT_SORT = "-created";

/** The order that an address names; the order of the list where the address names none. */
export function sortOf(text: string | null): string {
  const name = (text ?? "").replace(/^-/, "");
  return text !== null && NAMES.some((each) => each === name) ? text : DEFAULT_SORT;
}

/** The order that pressing a column's head leads to. */
export function toggled(now: string, name: SortName, downFirst: boolean): string {
  const [first, second] = downFirst ? [`-${name}`, name] : [name, `-${name}`];
  return now === first ? second : first;
}
