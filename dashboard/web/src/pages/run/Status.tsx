/** How a run stands: in numbers, and in a sentence on what goes on and what to do. */
import { useRef } from "preact/hooks";

import { get } from "../../api/client";
import type { LiveState } from "../../api/live";
import { type Run, isLive } from "../../api/types";
import { useResource } from "../../api/use";
import { Link } from "../../router";
import { Ago, Doubt, Elapsed, Fact, ProgressBar, Said, StateBadge, Time, format, titleOf, useNow } from "../../ui";
import { type Seen, roughly, secondsLeft, seenWith } from "./remaining";
import { signOf, spokenOf } from "./vitality";

/** Milliseconds between two questions of what workers do. */
const EVERY = 2000;

interface Props {
  run: Run;
  seen: number | undefined;
  live: LiveState;
}

export function Status({ run, seen, live }: Props) {
  return (
    <>
      <dl class="facts">
        <Fact name="State">
          <StateBadge state={run.state} stage={run.stage} />
        </Fact>
        <Fact name="Iterations">
          <ProgressBar done={run.progress.done} total={run.progress.total} label="Iterations done" />
        </Fact>
        <Fact name="Table">
          {format.shape(run.dataset.rows, run.dataset.columns, run.dataset.dimension)} <small>{run.dataset.name}</small>
        </Fact>
        <Fact name="Clusters, K × L">
          <span data-testid="clusters">{format.shape(run.row_clusters, run.column_clusters)}</span>{" "}
          <Doubt verdict={run.verdict} full />
        </Fact>
        <Fact name="Log joint">{format.logJoint(run.log_joint)}</Fact>
        <Fact name="From start to end">
          <Elapsed since={run.started_at} until={run.finished_at} />
        </Fact>
        <Fact name="Submitted">
          <Time at={run.created_at} />
        </Fact>
      </dl>
      {isLive(run.state) && <Vitality run={run} seen={seen} live={live} />}
      <Advice run={run} />
    </>
  );
}

function Vitality({ run, seen, live }: { run: Run; seen: number | undefined; live: LiveState }) {
  const now = useNow();
  const beat = Math.floor(now / EVERY);
  const path = { run_id: run.id };
  const activity = useResource((signal) => get("/runs/{run_id}/activity", { path, signal }), [run.id, beat], {
    keep: true,
  });
  const waits = run.state === "PENDING";
  const others = useResource(
    (signal) => (waits ? get("/runs", { query: { state: "RUNNING", limit: 2 }, signal }) : Promise.resolve(undefined)),
    [waits, waits ? beat : 0],
    { keep: true },
  );
  const names = (others.data?.items ?? []).filter((other) => other.id !== run.id).map(titleOf);
  const left = useLeft(run, now);
  const sign = signOf({ run, activity: activity.data, others: names, seen, now });
  return (
    <p class={`vitality${sign.worrying ? " worrying" : ""}`}>
      <span class="spoken" role="status">
        {spokenOf(run, sign)}
      </span>
      <span class="busy" aria-hidden="true" />
      <span>
        {sign.text}.{" "}
        {left !== undefined && <>{left}. </>}
        {sign.at !== null && (
          <>
            Last sign of life <Ago at={new Date(sign.at).toISOString()} />.{" "}
          </>
        )}
        {sign.worrying && (
          <>
            That is long: <Link href="/system">see the workers</Link>, or pause the run and resume it.{" "}
          </>
        )}
        {live !== "live" && (
          <small>{live === "polling" ? "Asked for every few seconds." : "Connecting to the live stream …"}</small>
        )}
      </span>
    </p>
  );
}

/** How long the rest takes, by how fast the iterations came that this page saw. */
function useLeft(run: Run, now: number): string | undefined {
  const seen = useRef<readonly Seen[]>([]);
  const { done, total } = run.progress;
  if (run.state !== "RUNNING" || run.stage === "finishing" || done >= total) return undefined;
  seen.current = seenWith(seen.current, { at: now, done });
  const seconds = secondsLeft(seen.current, total, now);
  return seconds === undefined ? undefined : `The iterations take ${roughly(seconds)} more, and the results a moment`;
}

/** Where a run does not go on by itself: why, and what to do. */
function Advice({ run }: { run: Run }) {
  if (run.state === "FAILED") {
    const began = run.started_at !== null;
    return (
      <div class="problem" role="alert">
        <p>
          <strong>The run failed</strong>
        </p>
        <p>
          <Said text={run.fault ?? "No reason was recorded."} />
        </p>
        <p>
          {began
            ? "Once that is mended, Resume goes on from the last iteration that is whole; Clone starts anew with other parameters."
            : "Nothing was computed yet: mend the file and submit it as a new dataset, or Resume if the reason is gone."}
        </p>
      </div>
    );
  }
  if (run.state === "PAUSED") {
    return (
      <p class="warnings">
        Paused after {format.plural(run.progress.done, "iteration")}. Resume goes on from there; nothing is lost
        meanwhile.
      </p>
    );
  }
  if (run.state === "CANCELLED") {
    return (
      <p class="warnings">
        Cancelled after {format.plural(run.progress.done, "iteration")}: it has no results. Clone runs it again.
      </p>
    );
  }
  return null;
}
