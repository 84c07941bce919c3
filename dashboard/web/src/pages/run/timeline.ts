/** Which shards of an iteration kept the others waiting, and which workers did them. */
import type { IterationTimeline, ShardTiming } from "../../api/types";

/** A straggler takes so many times what is usual in its iteration, and not only a moment. */
const SLOW = 2;
const MOMENT = 0.02;

export function median(values: readonly number[]): number {
  if (values.length === 0) return NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Shards that took much longer than is usual in their iteration. */
export function stragglers(shards: readonly ShardTiming[]): Set<number> {
  const usual = median(shards.map((shard) => shard.seconds));
  return new Set(
    shards
      .filter((shard) => shard.seconds > SLOW * usual && shard.seconds > usual + MOMENT)
      .map((shard) => shard.shard),
  );
}

export interface WorkerSummary {
  readonly worker: string;
  readonly shards: number;
  readonly seconds: number;
  readonly waited: number;
  readonly stragglers: number;
  readonly redelivered: number;
}

/** What each worker did in some iterations: means of seconds, sums of the rest; the slowest first. */
export function workersOf(items: readonly IterationTimeline[]): WorkerSummary[] {
  const found = new Map<string, { seconds: number[]; waited: number[]; stragglers: number; redelivered: number }>();
  for (const item of items) {
    const slow = stragglers(item.shards);
    for (const shard of item.shards) {
      const of = found.get(shard.worker) ?? { seconds: [], waited: [], stragglers: 0, redelivered: 0 };
      found.set(shard.worker, of);
      of.seconds.push(shard.seconds);
      of.waited.push(shard.waited);
      of.stragglers += slow.has(shard.shard) ? 1 : 0;
      of.redelivered += shard.redelivered;
    }
  }
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [...found]
    .map(([worker, of]) => ({
      worker,
      shards: of.seconds.length,
      seconds: mean(of.seconds),
      waited: mean(of.waited),
      stragglers: of.stragglers,
      redelivered: of.redelivered,
    }))
    .sort((a, b) => b.seconds - a.seconds || a.worker.localeCompare(b.worker));
}
