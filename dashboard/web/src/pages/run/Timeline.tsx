/** The shards of each iteration: who did them, how long they took, which of them the others waited for. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { get } from "../../api/client";
import type { IterationTimeline, Run, StreamTrace } from "../../api/types";
import { isLive } from "../../api/types";
import { useResource } from "../../api/use";
import { resolved } from "../../charts/inks";
import { taken } from "../../charts/ticks";
import { colour, inkOn } from "../../heatmap/colours";
import { useQuery } from "../../router";
import { Empty, Loading, ProblemNote, format, useDark, useNow } from "../../ui";
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

const ROW = 14;
const MOST_HEIGHT = 280;
const LEFT = 44;
const BELOW = 18;

/** A cell for each shard of each iteration, the darker the longer it took. */
function Strip({
  items,
  chosen,
  onChoose,
}: {
  items: readonly IterationTimeline[];
  chosen: IterationTimeline;
  onChoose: (iteration: number) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = useDark();
  const [width, setWidth] = useState(0);
  const shards = Math.max(1, ...items.map((item) => item.shards.length));
  const row = Math.max(2, Math.min(ROW, Math.floor(MOST_HEIGHT / shards)));
  const height = shards * row + BELOW;
  // Not spread into one call: it takes some ten thousand arguments, and there may be more shards.
  const longest = items.flatMap((item) => item.shards).reduce((most, shard) => Math.max(most, shard.seconds), 1e-9);
  const column = Math.min(26, (width - LEFT) / items.length);

  useEffect(() => {
    const observer = new ResizeObserver(() => setWidth(canvas.current!.clientWidth));
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (width < LEFT + 10) return;
    const element = canvas.current!;
    const density = window.devicePixelRatio || 1;
    element.width = Math.round(width * density);
    element.height = Math.round(height * density);
    const context = element.getContext("2d")!;
    context.scale(density, density);
    const theme = dark ? "dark" : "light";
    const [soft, accent] = [
      resolved(element.parentElement!, "var(--soft)"),
      resolved(element.parentElement!, "var(--accent)"),
    ];
    const gap = row > 4 && column > 4 ? 1 : 0;
    context.font = `11px ${getComputedStyle(element).fontFamily}`;
    context.fillStyle = soft;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (let shard = 0; shard < shards; shard += Math.max(1, Math.ceil(13 / row))) {
      context.fillText(String(shard), LEFT - 8, (shard + 0.5) * row);
    }
    items.forEach((item, i) => {
      const slow = stragglers(item.shards);
      const x = LEFT + i * column;
      item.shards.forEach((shard, at) => {
        const share = shard.seconds / longest;
        context.fillStyle = colour(theme, share);
        context.fillRect(x, at * row, Math.max(1, column - gap), row - gap);
        if (row < 7 || column < 5) return;
        const [middle, down] = [x + (column - gap) / 2, at * row + (row - gap) / 2];
        context.fillStyle = context.strokeStyle = inkOn(theme, share);
        context.beginPath();
        context.arc(middle, down, Math.min(3, column / 3), 0, 2 * Math.PI);
        if (shard.redelivered > 0) context.stroke();
        else if (slow.has(shard.shard)) context.fill();
      });
    });
    const at = items.indexOf(chosen);
    context.strokeStyle = accent;
    context.lineWidth = 2;
    context.strokeRect(LEFT + at * column - 1, 1, column + 1 - gap, shards * row - 1);
    context.fillStyle = soft;
    context.textBaseline = "alphabetic";
    context.textAlign = "center";
    const every = Math.max(1, Math.ceil(48 / column));
    items.forEach((item, i) => {
      if (i % every === 0) context.fillText(format.count(item.iteration), LEFT + (i + 0.5) * column, height - 4);
    });
  }, [items, chosen, width, height, dark]);

  const at = (event: MouseEvent): void => {
    const x = event.clientX - canvas.current!.getBoundingClientRect().left - LEFT;
    const item = items[Math.floor(x / column)];
    if (item) onChoose(item.iteration);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = step !== undefined && items[items.indexOf(chosen) + step];
    if (!next) return;
    event.preventDefault();
    onChoose(next.iteration);
  };
  const slow = items.reduce((sum, item) => sum + stragglers(item.shards).size, 0);
  const again = items.reduce((sum, item) => sum + item.shards.reduce((of, shard) => of + shard.redelivered, 0), 0);
  const said = `${slow === 0 ? "None was slow" : `${format.count(slow)} ${slow === 1 ? "was" : "were"} slow`}, ${again === 0 ? "none" : format.count(again)} ${again > 1 ? "were" : "was"} sent again; the longest took ${taken(longest)}.`;
  return (
    <>
      <canvas
        ref={canvas}
        class="strip"
        style={{ height: `${height}px` }}
        role="img"
        tabIndex={0}
        aria-label={`Seconds of ${format.plural(shards, "shard")} in ${format.plural(items.length, "iteration")}: ${said} Arrow keys choose an iteration.`}
        onClick={at}
        onKeyDown={onKeyDown}
      />
      <p class="note">
        A column for each iteration, a row for each shard; {dark ? "brighter" : "darker"} took longer. {said}{" "}
        {slow > 0 && "● marks a slow shard, which took more than twice as long as its iteration's median. "}
        {again > 0 && "○ marks a shard that was sent again, because its worker was lost."}
      </p>
    </>
  );
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
