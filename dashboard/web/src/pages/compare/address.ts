/** Where runs are compared. */

/** The server compares no more. */
export const MOST_RUNS = 10;

export const compareAddress = (ids: readonly string[]): string =>
  `/compare?${ids.map((id) => `run=${encodeURIComponent(id)}`).join("&")}`;
