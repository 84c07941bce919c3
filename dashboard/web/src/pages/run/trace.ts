/** Traces that grow. */
import { shortChains } from "../../api/shortChains";
import type { StreamTrace } from "../../api/types";
import type { Line } from "../../charts/series";

const ARRAYS = ["iteration", "log_joint", "row_clusters", "column_clusters", "alpha", "beta", "seconds"] as const;

/** How many streams a run has in the end: its chains, and the short ones that they start from the best of. */
export function expectedStreams(options: Record<string, unknown>): number {
  const [chains, restarts, crossings] = ["chains", "restarts", "crossings"].map((name) => wholeOf(options[name]));
  return chains! * (1 + shortChains(String(options["start"]), restarts!, crossings!, 1).number);
}

const wholeOf = (value: unknown): number => (typeof value === "number" && value >= 1 ? Math.floor(value) : 1);

/** The iteration after which something may be new in any stream. */
export function knownUpTo(streams: readonly StreamTrace[], expected: number): number {
  if (streams.length < expected) return 0;
  return streams.reduce((least, stream) => Math.min(least, stream.iteration.at(-1) ?? 0), Infinity);
}

/** What is known, with what came of the iterations after one, which replaces what was known of them. */
export function merged(known: readonly StreamTrace[], came: readonly StreamTrace[], after: number): StreamTrace[] {
  const all = new Map(known.map((stream) => [stream.stream, stream]));
  for (const stream of came) {
    const before = all.get(stream.stream);
    if (!before || after === 0) {
      all.set(stream.stream, stream);
      continue;
    }
    const kept = before.iteration.findIndex((iteration) => iteration > after);
    const cut = kept < 0 ? before.iteration.length : kept;
    const joined = { ...stream };
    for (const name of ARRAYS) {
      (joined[name] as (number | null)[]) = [...before[name].slice(0, cut), ...stream[name]];
    }
    all.set(stream.stream, joined);
  }
  return [...all.values()].sort((a, b) => a.stream - b.stream);
}

/** Streams to draw: the chains; short ones only while there is nothing else. */
export function drawn(streams: readonly StreamTrace[]): readonly StreamTrace[] {
  const chains = streams.filter((stream) => stream.short === null);
  return chains.length > 0 ? chains : streams;
}

export const nameOf = (stream: StreamTrace): string =>
  stream.short === null ? `chain ${stream.chain}` : `start ${stream.short} of chain ${stream.chain}`;

export type Measure = Exclude<(typeof ARRAYS)[number], "iteration">;

export const linesOf = (streams: readonly StreamTrace[], measure: Measure): Line[] =>
  streams.map((stream) => ({ label: nameOf(stream), x: stream.iteration, y: stream[measure] }));
