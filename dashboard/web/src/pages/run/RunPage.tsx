/** A run: its blocks first, then how it came to them, and what can be done with it. */
import { useMemo, useRef, useState } from "preact/hooks";

import { type Run, isLive } from "../../api/types";
import { ClassSection } from "../../classes/ClassSection";
import { Heatmap, type Look } from "../../heatmap/Heatmap";
import { spanOf } from "../../heatmap/picture";
import { spreadOf } from "../../heatmap/scale";
import { around, positionOf } from "../../heatmap/viewport";
import { LevelBar } from "../../levels/LevelBar";
import { WhichLevel } from "../../levels/WhichLevel";
import type { Branches, Level } from "../../levels/level";
import { joined } from "../../levels/regrouped";
import { ASIDE } from "../../levels/tree";
import { useLevel, useRested } from "../../levels/useLevel";
import { Find } from "../../members/Find";
import { type Listed, Members } from "../../members/Members";
import { SaveLabels } from "../../members/SaveLabels";
import { type Roster, inOrder, rosterAt } from "../../members/roster";
import { Link, useQuery } from "../../router";
import { Empty, Guard, Loading, PageHead, ProblemNote, titleOf } from "../../ui";
import { Actions } from "./Actions";
import { Blocks } from "./Blocks";
import { CompareWith } from "./CompareWith";
import { Downloads } from "./Downloads";
import { Events } from "./Events";
import { Explained } from "./Explained";
import { Findings } from "./Findings";
import { Parameters } from "./Parameters";
import { Status } from "./Status";
import { Timeline } from "./Timeline";
import { Traces } from "./Traces";
import type { Items } from "./members";
import "./run.css";
import { drawn } from "./trace";
import { type Found, useFound } from "./useFound";
import { type LiveRun, useRun } from "./useRun";
import { useItems } from "./useItems";
import { useLevels } from "./useLevels";
import { useTrace } from "./useTrace";

export function RunPage({ id }: { id: string }) {
  const found = useRun(id);
  const { data: run, problem } = found;
  if (run) return <Shown key={run.id} run={run} found={found} />;
  return (
    <>
      <PageHead title={`Run ${id}`} />
      {problem ? (
        <ProblemNote problem={problem} retry={found.reload}>
          <p>
            <Link href="/runs">See all runs</Link>
          </p>
        </ProblemNote>
      ) : (
        <Loading what="Reading the run" />
      )}
    </>
  );
}

function Shown({ run, found }: { run: Run; found: LiveRun }) {
  const traces = useTrace(run, found.turn);
  const done = run.state === "SUCCEEDED";
  const result = useFound(run);
  // Of a run that ended before its first iteration there is nothing to show.
  const empty = !isLive(run.state) && run.state !== "PAUSED" && run.progress.done === 0;
  return (
    <>
      <PageHead title={titleOf(run)}>
        <Actions run={run} onChanged={(changed) => found.mutate(() => changed)} />
      </PageHead>
      {found.problem && <ProblemNote problem={found.problem} retry={found.reload} />}
      <Status run={run} seen={found.seen} live={found.live} />
      {done && (
        <>
          <Guard>
            <Findings run={run} />
          </Guard>
          <Guard>
            <Matrix run={run} found={result} />
          </Guard>
          <Guard>
            <Downloads run={run} />
          </Guard>
          <Guard>
            <CompareWith run={run} />
          </Guard>
        </>
      )}
      {!empty && (
        <Guard>
          <Traces run={run} traces={traces} />
        </Guard>
      )}
      {!done && !empty && (
        <Guard>
          <Matrix run={run} found={result} />
        </Guard>
      )}
      {!empty && (
        <Guard>
          <Timeline run={run} streams={drawn(traces.streams ?? [])} />
        </Guard>
      )}
      <Guard>
        <Parameters run={run} cells={result?.cells} />
      </Guard>
      <Guard>
        <Events run={run.id} came={found.events} turn={found.turn} />
      </Guard>
    </>
  );
}

/** The heatmap, with the table of blocks that leads into it. */
function Matrix({ run, found }: { run: Run; found: Found | null | undefined }) {
  const [query, change] = useQuery();
  const section = useRef<HTMLElement>(null);
  const look: Look = {
    order: query.get("order") === "original" ? "original" : "reordered",
    component: Math.max(0, Math.min((run.dataset.dimension ?? 1) - 1, Number(query.get("component")) || 0)),
    rows: query.get("rows"),
    columns: query.get("columns"),
    spread: spreadOf(query.get("colours")),
    raw: query.get("counts") === "raw",
  };
  const onLook = (next: Look): void =>
    change({
      order: next.order === "reordered" ? null : next.order,
      component: next.component || null,
      rows: next.rows,
      columns: next.columns,
      colours: next.spread,
      counts: next.raw ? "raw" : null,
    });
  const levels = useLevels(run);
  const chosen = useLevel(
    levels,
    { rows: query.get("row-level"), columns: query.get("column-level") },
    ({ rows, columns }) => change({ "row-level": rows, "column-level": columns }),
  );
  const level = chosen?.level;
  const rested = useRested(level);
  const [wanted, setWanted] = useState(false);
  const [listed, setListed] = useState<Listed>();
  const asked = wanted || listed !== undefined || query.get("find") !== null;
  const items = { rows: useItems(run, "rows", asked), columns: useItems(run, "columns", asked) };
  const rosters = {
    rows: useRoster(items.rows, found && { starts: found.rows, labels: found.rowLabels }, level?.rows),
    columns: useRoster(items.columns, found && { starts: found.columns, labels: found.columnLabels }, level?.columns),
  };
  const lookAt = (axis: "rows" | "columns", place: number): void => {
    change({
      order: null,
      [axis]: around(axis, place, run.dataset[axis] ?? 0),
      [axis === "rows" ? "row" : "column"]: place,
    });
    section.current?.scrollIntoView({ block: "start" });
  };
  const text = (span: readonly [number, number] | null): string | null => span && `${span[0]}-${span[1]}`;
  const done = run.state === "SUCCEEDED";
  return (
    <>
      <section ref={section} aria-labelledby="matrix" class="matrix">
        <div class={done ? "spoken" : "bar"}>
          <h2 id="matrix">The matrix</h2>
        </div>
        {done ? (
          <Heatmap
            run={run.id}
            title={titleOf(run)}
            dimension={run.dataset.dimension ?? 1}
            level={level}
            classes={{ rows: rosters.rows?.classes, columns: rosters.columns?.classes }}
            found={{ row: positionOf(query.get("row")), column: positionOf(query.get("column")) }}
            look={look}
            onLook={onLook}
          >
            <div class="choices">
              {levels && chosen && (
                <LevelBar levels={levels} chosen={chosen} onAside={(axis) => setListed({ axis, label: ASIDE })} />
              )}
              <Find
                rosters={rosters}
                text={query.get("find") ?? ""}
                onText={(text) => change(text === "" ? { find: null, row: null, column: null } : { find: text })}
                onLook={lookAt}
                onMembers={(axis, label) => setListed({ axis, label })}
                onWanted={() => setWanted(true)}
              />
              <SaveLabels rosters={rosters} onWanted={() => setWanted(true)} />
            </div>
          </Heatmap>
        ) : (
          <Empty title={TITLES[run.state] ?? "The blocks appear here once the run has succeeded"}>
            <p>{WAITING[run.state]}</p>
          </Empty>
        )}
      </section>
      {done && (
        <Guard>
          <Blocks
            run={run}
            found={found}
            levels={levels}
            level={rested}
            items={items}
            component={look.component}
            spread={look.spread}
            onLook={(rows, columns) => {
              onLook({ ...look, order: "reordered", rows: text(rows), columns: text(columns) });
              section.current?.scrollIntoView({ block: "start" });
            }}
            onMembers={(axis, label) => setListed({ axis, label })}
          />
        </Guard>
      )}
      <Guard>
        <ClassSection rows={rosters.rows} columns={rosters.columns} />
      </Guard>
      {done && levels && (
        <Guard>
          <Explained
            run={run}
            level={rested}
            onLook={(axis, cluster) => {
              const shown = joinedOf(found, axis, level);
              const span = shown && spanOf(shown.starts, shown.labels, cluster);
              if (!span) return;
              onLook({ ...look, order: "reordered", [axis]: text(span) });
              section.current?.scrollIntoView({ block: "start" });
            }}
          />
        </Guard>
      )}
      {done && levels && chosen && (
        <Guard>
          <WhichLevel levels={levels} chosen={chosen} level={rested} />
        </Guard>
      )}
      {listed && <Members rosters={rosters} listed={listed} onLook={lookAt} onClose={() => setListed(undefined)} />}
    </>
  );
}

/** Where the clusters of a level are; undefined until it is known. */
function joinedOf(found: Found | null | undefined, axis: "rows" | "columns", level: Level | undefined) {
  if (!found) return undefined;
  const [starts, labels] = axis === "rows" ? [found.rows, found.rowLabels] : [found.columns, found.columnLabels];
  return level ? joined(starts, labels, level[axis].cut.labels) : { starts, labels };
}

/** Who is where, at a level; undefined until it is known. */
function useRoster(
  items: Items | null | undefined,
  shown: Omit<Roster, "names"> | null | undefined,
  branches: Branches | undefined,
): Roster | null | undefined {
  const roster = useMemo(
    () => items && shown && inOrder(items.names, items.labels, shown.starts, shown.labels, items.classes),
    [items, shown?.starts],
  );
  return useMemo(() => (roster && branches ? rosterAt(roster, branches.cut.labels) : roster), [roster, branches]);
}

const TITLES: Partial<Record<Run["state"], string>> = {
  FAILED: "There are no blocks",
  CANCELLED: "There are no blocks",
};

const WAITING: Record<Run["state"], string> = {
  PENDING: "Until then the traces show its progress.",
  RUNNING: "Until then the traces show its progress.",
  PAUSED: "Resume it to go on.",
  FAILED: "The run failed: see above for the reason.",
  CANCELLED: "The run was cancelled before its end; its traces are above.",
  SUCCEEDED: "",
};
