/** The path below which the server is, such as "/blocks"; "" where it has an address of its own. */
export const BASE = globalThis.document?.documentElement.dataset.base ?? "";

/** A path of the browser's address as the pages know it. */
export function belowBase(path: string): string {
  if (path === BASE) return "/";
  return path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : path;
}
