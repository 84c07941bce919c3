/** Whether anything goes on with a run, in a sentence. */
import type { Activity, Run } from "../../api/types";
import * as format from "../../ui/format";

export interface Sign {
  readonly text: string;
  /** When the last sign of life was, in milliseconds; null: not known. */
  readonly at: number | null;
  /** Whether something may be wrong. */
  readonly worrying: boolean;
}

/** Milliseconds without a sign of life after which it may be wrong. */
const SILENCE = 60_000;

/** Milliseconds that the first iteration takes by itself, of most tables. */
const FIRST = 3000;

interface Known {
  readonly run: Run;
  readonly activity: Activity | undefined;
  /** Names of runs that this server does at this moment. */
  readonly others: readonly string[];
  /** When the page saw the run come further; undefined if it did not. */
  readonly seen: number | undefined;
  readonly now: number;
}

export function signOf({ run, activity, others, seen, now }: Known): Sign {
  if (run.state === "PENDING") return { text: pending(run, activity, others), at: null, worrying: false };
  const { done, total } = run.progress;
  if (activity === undefined || activity.embedded) {
    const at = seen ?? null;
    // Nothing is heard meanwhile, however long they take.
    if (run.stage === "finishing") return { text: "Writing the results", at, worrying: false };
    if (done === 0) return { text: first(run, now), at, worrying: false };
    const text = `Doing iteration ${format.count(Math.min(done + 1, total))} of ${format.count(total)}`;
    return { text, at, worrying: at !== null && now - at > SILENCE };
  }
  if (run.stage === "finishing") return { text: "A worker writes the results", at: null, worrying: false };
  // Where no worker was ever heard from, the last thing that happened is that the run started.
  const last = activity.last_seen ?? run.started_at;
  const at = last === null ? null : Date.parse(last);
  const worrying = at !== null && now - at > SILENCE;
  const of = `${format.count(activity.arrived)} of ${format.count(activity.shards)}`;
  if (activity.workers === 0 && activity.arrived === 0) return { text: `Waiting for workers (${of})`, at, worrying };
  return { text: `${format.plural(activity.workers, "worker")}, ${of} shards of this iteration done`, at, worrying };
}

/** Steps of the progress that are read out. */
const STEPS = 4;

/** What is read out to who does not see the page: the same words until something else is to be said. */
export function spokenOf(run: Run, sign: Sign): string {
  if (run.state === "PENDING" || sign.worrying) return sign.text;
  if (run.stage === "finishing") return "Writing the results";
  const { done, total } = run.progress;
  if (done === 0) return "Doing the first iteration";
  return `${format.percent(Math.floor((STEPS * done) / total) / STEPS)} of the iterations are done`;
}

function first(run: Run, now: number): string {
  const long = run.started_at !== null && now - Date.parse(run.started_at) > FIRST;
  return long
    ? "Doing the first iteration; the first run after an installation compiles its code, which may take a minute"
    : "Doing the first iteration";
}

function pending(run: Run, activity: Activity | undefined, others: readonly string[]): string {
  if (activity?.embedded && others.length > 0) return `Waits for its turn: this server does ${others[0]} first`;
  const what = run.stage === "reading" ? "read the file" : "cut the data into shards";
  if (activity && !activity.embedded) return `Waiting for a worker to ${what}`;
  return run.stage === "reading" ? "Reading the file" : "Cutting the data into shards";
}
