/** How long a run still takes, by how fast it went lately. */

/** A moment, in milliseconds, and the iterations that were done by then. */
export interface Seen {
  readonly at: number;
  readonly done: number;
}

/** Milliseconds that count: what was slow at the start, such as the first iteration, says little of the rest. */
const LATELY = 30_000;

/** What was seen, with one more: the moments that count, and the last one before them. */
export function seenWith(seen: readonly Seen[], now: Seen): readonly Seen[] {
  const last = seen.at(-1);
  if (last && now.done === last.done) return seen;
  // A run that was taken back, or is another one.
  if (last && now.done < last.done) return [now];
  const first = seen.findIndex(({ at }) => now.at - at <= LATELY);
  return [...(first < 0 ? seen.slice(-1) : seen.slice(Math.max(0, first - 1))), now];
}

/** Seconds that the rest of the iterations takes; undefined until two moments were seen. */
export function secondsLeft(seen: readonly Seen[], total: number, now: number): number | undefined {
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last || last.done <= first.done) return undefined;
  const each = (last.at - first.at) / (last.done - first.done);
  // Since the last one some time has passed, but no more than the next one takes.
  const passed = Math.min(now - last.at, each);
  return Math.max(0, (each * (total - last.done) - passed) / 1000);
}

/** Seconds as one says them of something uncertain: "a few seconds", "about 40 s", "about 3 min". */
export function roughly(seconds: number): string {
  if (seconds < 5) return "a few seconds";
  if (seconds < 50) return `about ${5 * Math.round(seconds / 5)} s`;
  if (seconds < 3570) return `about ${Math.max(1, Math.round(seconds / 60))} min`;
  return seconds < 172800 ? `about ${Math.round(seconds / 3600)} h` : `about ${Math.round(seconds / 86400)} days`;
}
