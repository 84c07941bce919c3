/** The shards of each iteration: who did them, how long they took, which of them the others waited for. */
import { useMemo } from "preact/hooks";

import { get } from "../../api/client";
import type { IterationTimeline, Run, StreamTrace } from "../../api/types";
import { isLive } from "../../api/types";
import { useResource } from "../../api/use";
import { taken } from "../../charts/ticks";
import { useQuery } from "../../router";
import { Empty, Loading, ProblemNote, format, useNow } from "../../ui";
import { Strip } from "./Strip";
import { stragglers, workersOf } from "./timeline";
import { nameOf } from "./trace";

/** Iterations that are shown. */
const SHOWN = 100;

/** Milliseconds between two questions while the run goes on. */
const EVERY = 2000;

export function Timeline({ run, streams }: { run: Run; streams: readonly StreamTrace[] }) {
  const [query, change] = useQuery();
  const stream = Number(query.get("stream") ?? streams[0]?.stream ?? 0);
  const beat = useBeat(isLive(run.state));
  const { data, problem, reload } = useResource(
    (signal) => get("/runs/{run_id}/shards", { path: { run_id: run.id }, query: { stream, limit: SHOWN }, signal }),
    [run.id, stream, run.state, beat],
    { keep: true },
  );
  const items = data?.items ?? [];
  const chosen = items.find((item) => item.iteration === Number(query.get("iteration"))) ?? items.at(-1);
  return (
    <section aria-labelledby="timeline">
      <div class="bar">
        <h2 id="timeline">
          Shards <small>{items.length > 0 && `of the last ${format.plural(items.length, "iteration")}`}</small>
        </h2>
        {streams.length > 1 && (
          <label class="inline-field">
            Of{" "}
            <select value={stream} onChange={(event) => change({ stream: event.currentTarget.value, iteration: null })}>
              {streams.map((each) => (
                <option key={each.stream} value={each.stream}>
                  {nameOf(each)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {problem && <ProblemNote problem={problem} retry={reload} />}
      {data === undefined && !problem && <Loading what="Reading the timeline" />}
      {data !== undefined && items.length === 0 && (
        <Empty title={isLive(run.state) ? "No shard is done yet" : "No shard was done"}>
          {isLive(run.state) && (
            <p>Each iteration appears here with its shards, the workers that did them, and how long they took.</p>
          )}
        </Empty>
      )}
      {chosen && (
        <>
          <Strip items={items} chosen={chosen} onChoose={(iteration) => change({ iteration })} />
          <div class="timeline-tables">
            <Detail item={chosen} />
            <Workers items={items} />
          </div>
        </>
      )}
    </section>
  );
}

/** A number that changes now and then while it is wanted. */
function useBeat(wanted: boolean): number {
  return Math.floor(useNow(wanted) / EVERY);
}

/** One iteration, shard by shard. */
function Detail({ item }: { item: IterationTimeline }) {
  const slow = stragglers(item.shards);
  const longest = Math.max(1e-9, ...item.shards.map((shard) => shard.waited + shard.seconds));
  const share = (seconds: number): string => `${(100 * seconds) / longest}%`;
  return (
    <div class="wide tall" tabIndex={0} role="region" aria-label={`Shards of iteration ${item.iteration}`}>
      <table>
        <caption>
          Iteration {format.count(item.iteration)} <small>{taken(item.seconds)} in all</small>
        </caption>
        <thead>
          <tr>
            <th class="number">Shard</th>
            <th>Worker</th>
            <th class="number">Waited</th>
            <th class="number">Took</th>
            <th class="gantt-head">
              <span class="spoken">Drawn</span>
            </th>
            <th>From</th>
            <th>Notes</th>
          </tr>
        </thead>
        <tbody>
          {item.shards.map((shard) => (
            <tr key={shard.shard}>
              <td class="number">{shard.shard}</td>
              <td>{shard.worker}</td>
              <td class="number">{taken(shard.waited)}</td>
              <td class="number">{taken(shard.seconds)}</td>
              <td>
                <span class="gantt" aria-hidden="true">
                  <i class="waited" style={{ width: share(shard.waited) }} />
                  <i class={slow.has(shard.shard) ? "slow" : ""} style={{ width: share(shard.seconds) }} />
                </span>
              </td>
              <td>{shard.source || format.NONE}</td>
              <td>
                {slow.has(shard.shard) && <span class="flag">straggler</span>}{" "}
                {shard.redelivered > 0 && (
                  <span class="flag">sent again {format.plural(shard.redelivered, "time")}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Workers({ items }: { items: readonly IterationTimeline[] }) {
  const workers = useMemo(() => workersOf(items), [items]);
  return (
    <div class="wide tall" tabIndex={0} role="region" aria-label="Workers of these iterations">
      <table>
        <caption>Workers</caption>
        <thead>
          <tr>
            <th>Worker</th>
            <th class="number">Shards</th>
            <th class="number">Took, mean</th>
            <th class="number">Waited, mean</th>
            <th class="number">Slow</th>
            <th class="number">Sent again</th>
          </tr>
        </thead>
        <tbody>
          {workers.map((each) => (
            <tr key={each.worker}>
              <td>{each.worker}</td>
              <td class="number">{format.count(each.shards)}</td>
              <td class="number">{taken(each.seconds)}</td>
              <td class="number">{taken(each.waited)}</td>
              <td class="number">{format.count(each.stragglers)}</td>
              <td class="number">{format.count(each.redelivered)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
