/** The report of a run. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { type Noted, capitalised, textOf } from "../api/names";
import { taken } from "../charts/ticks";
import { positionAtItem, spanOf } from "../heatmap/picture";
import { spreadAs, spreadOf } from "../heatmap/scale";
import type { Part } from "../heatmap/useHeatmap";
import { around, positionOf } from "../heatmap/viewport";
import { LevelBar } from "../levels/LevelBar";
import { WhichLevel } from "../levels/WhichLevel";
import { gridsOf } from "../levels/blocks";
import { type Level, isFine } from "../levels/level";
import { joined } from "../levels/regrouped";
import { ASIDE } from "../levels/tree";
import { useLevel, useRested } from "../levels/useLevel";
import { ClassSection } from "../classes/ClassSection";
import { classesOf } from "../classes/classes";
import { Find, type Rosters } from "../members/Find";
import { type Listed, Members } from "../members/Members";
import { SaveLabels } from "../members/SaveLabels";
import { type Roster, rosterAt } from "../members/roster";
import { Doubt, doubtOf } from "../ui/Doubt";
import { Fact } from "../ui/Fact";
import { Said } from "../ui/Said";
import * as format from "../ui/format";
import { namesOf } from "../tables/kind";
import { chooseTheme, useTheme } from "../ui/theme";
import { BlockSection } from "./BlockSection";
import { CertaintySection } from "./CertaintySection";
import { Head } from "./Head";
import { MatrixSection } from "./MatrixSection";
import { ProfileSection } from "./ProfileSection";
import { RunSection } from "./RunSection";
import { TraceSection } from "./TraceSection";
import { read, useAddress } from "./address";
import { categoriesOf, kindOfRun } from "./blocks";
import type { RunDocument, RunFigures } from "./document";
import { pixelOf, scaleOf } from "./pictures";

const SCORES: readonly (readonly [key: string, title: string])[] = [
  ["ari", "Row ARI"],
  ["nmi", "Row NMI"],
  ["column_ari", "Column ARI"],
  ["column_nmi", "Column NMI"],
  ["block_ari", "Block ARI"],
];

const PARTS = { rows: "", columns: "", "read-rows": "", "read-columns": "" };

const LEVEL = { "row-level": "", "column-level": "" };

/** What is looked for, and the places of what was found. */
const FOUND = { find: "", row: "", column: "" };

const themed = read(location.hash, { theme: "" })["theme"];
if (themed) chooseTheme(themed);

interface Props {
  readonly found: RunDocument;
  readonly children?: ComponentChildren;
}

export function RunReport({ found, children }: Props) {
  const { run, matrix, certainty } = found;
  const initial = { theme: "auto", pixel: matrix.pixel, colours: "", trace: "all", ...PARTS, ...LEVEL, ...FOUND, part: "" };
  const [state, change] = useAddress(initial);
  const [theme] = useTheme();
  const section = useRef<HTMLDivElement>(null);
  // Chosen on an earlier visit, a theme does not belong to a link.
  const chosen = useRef(theme);
  useEffect(() => {
    if (theme !== chosen.current) change({ theme });
    chosen.current = theme;
  }, [theme]);
  const pixel = pixelOf(matrix.reordered, state["pixel"]!, matrix.pixel);
  const kind = useMemo(() => kindOfRun(run, found.blocks), [found]);
  const fittedScale = useMemo(
    () => scaleOf(matrix.reordered, pixel, run.data["cells"], namesOf(categoriesOf(run.data), most(found))),
    [found, pixel],
  );
  const spread = spreadOf(state["colours"]!);
  const scale = useMemo(() => spreadAs(fittedScale, spread), [fittedScale, spread]);
  const part = (prefix: string): Part => ({
    rows: state[`${prefix}rows`] || null,
    columns: state[`${prefix}columns`] || null,
  });
  const text = { rows: state["row-level"] || null, columns: state["column-level"] || null };
  const choice = useLevel(found.levels, text, ({ rows, columns }) =>
    change({ "row-level": rows ?? "", "column-level": columns ?? "" }),
  );
  const level = choice?.level;
  const coarse = useMemo(
    () => (found.levels && level && !isFine(level) ? gridsOf(found.levels, level) : undefined),
    [found, level],
  );
  const rested = useRested(level);
  const tabled = useMemo(
    () => (found.levels && rested && !isFine(rested) ? { level: rested, coarse: gridsOf(found.levels, rested) } : undefined),
    [found, rested],
  );
  const look = (rows: number | null, columns: number | null): void => {
    const span = (axis: "rows" | "columns", cluster: number | null): string => {
      const { borders, labels } = matrix.reordered[axis];
      const { starts, labels: shown } = level
        ? joined(borders, labels ?? [], level[axis].cut.labels)
        : { starts: borders, labels: labels ?? [] };
      return cluster === null ? "" : (spanOf(starts, shown, cluster)?.join("-") ?? "");
    };
    change({ rows: span("rows", rows), columns: span("columns", columns) });
    section.current?.scrollIntoView({ block: "start" });
  };
  const rosters = useMemo(() => rostersOf(found, level), [found, level]);
  const known = useMemo(() => {
    const of = rostersOf(found, undefined);
    return { rows: of.rows?.classes, columns: of.columns?.classes };
  }, [found]);
  const [listed, setListed] = useState<Listed>();
  const lookAt = (axis: "rows" | "columns", place: number): void => {
    const items = matrix.reordered[axis];
    const part = around(axis, positionAtItem(items, place), items.start.length);
    change({ [axis]: part, [axis === "rows" ? "row" : "column"]: String(place) });
    section.current?.scrollIntoView({ block: "start" });
  };
  const pointed = useMemo(() => {
    const at = (axis: "rows" | "columns", text: string | undefined): number | null => {
      const [place, items] = [positionOf(text), matrix.reordered[axis]];
      return place === null || place >= items.count ? null : positionAtItem(items, place);
    };
    return { row: at("rows", state["row"]), column: at("columns", state["column"]) };
  }, [matrix, state["row"], state["column"]]);
  return (
    <>
      <Head kind="run report" title={run.name}>
        <Lead run={run} />
        <p class="estimate">
          <Said text={found.estimate} />
        </p>
        <dl class="facts">
          {SCORES.filter(([key]) => run.scores[key] != null).map(([key, title]) => (
            <Fact key={key} name={title}>
              {format.fixed(run.scores[key], 3)}
            </Fact>
          ))}
          <Fact name="Log joint">{format.logJoint(run.log_joint)}</Fact>
          <Fact name="Iterations">{format.count(run.iterations)}</Fact>
          <Fact name="Shards">{format.count(run.shards)}</Fact>
          <Fact name="Time">{taken(run.seconds_total)}</Fact>
        </dl>
        {children}
      </Head>
      <main>
        <Notes notes={run.notes} />
        <div ref={section}>
          <MatrixSection
            run={run}
            kind={kind}
            categories={found.blocks.categories ?? []}
            matrix={matrix}
            level={level}
            classes={known}
            blocks={coarse?.[0]}
            pointed={pointed}
            pixel={pixel}
            scale={scale}
            parts={{ reordered: part(""), original: part("read-") }}
            onPixel={(to) => change({ pixel: to })}
            onSpread={(to) => change({ colours: to })}
            onPart={(order, { rows, columns }) => {
              const prefix = order === "reordered" ? "" : "read-";
              change({ [`${prefix}rows`]: rows ?? "", [`${prefix}columns`]: columns ?? "" });
            }}
          >
            <div class="choices">
              {found.levels && choice && (
                <LevelBar
                  levels={found.levels}
                  chosen={choice}
                  onAside={(axis) => rosters[axis] && setListed({ axis, label: ASIDE })}
                />
              )}
              <Find
                rosters={rosters}
                text={state["find"]!}
                onText={(text) => change(text === "" ? FOUND : { find: text })}
                onLook={lookAt}
                onMembers={(axis, label) => setListed({ axis, label })}
              />
              <SaveLabels rosters={rosters} />
            </div>
          </MatrixSection>
        </div>
        <ClassSection rows={rosters.rows} columns={rosters.columns} />
        <ProfileSection axis="rows" profiles={found.profiles.rows} fine={run.row_clusters} />
        <ProfileSection axis="columns" profiles={found.profiles.columns} fine={run.column_clusters} />
        {found.levels && choice && <WhichLevel levels={found.levels} chosen={choice} level={rested} />}
        <TraceSection
          found={found}
          late={state["trace"] === "late"}
          onLate={(late) => change({ trace: late ? "late" : "all" })}
        />
        {certainty && (
          <CertaintySection
            found={certainty}
            fine={level && !isFine(level) ? [run.row_clusters, run.column_clusters] : undefined}
          />
        )}
        <BlockSection
          found={found}
          kind={kind}
          level={tabled?.level}
          coarse={tabled?.coarse}
          scale={isReal(found) ? scale : undefined}
          onLook={look}
          onMembers={(axis) => (rosters[axis] ? (label) => setListed({ axis, label }) : undefined)}
        />
        <RunSection run={run} />
        {listed && (
          <Members rosters={rosters} listed={listed} onLook={lookAt} onClose={() => setListed(undefined)} />
        )}
      </main>
    </>
  );
}

/** Who is where, at a level. */
function rostersOf({ names, matrix, classes }: RunDocument, level: Level | undefined): Rosters {
  const of = (axis: "rows" | "columns"): Roster | null => {
    const { clusters, labels } = matrix.reordered[axis];
    if (!names[axis] || !clusters || !labels) return null;
    const known = classes[axis];
    const roster = { names: names[axis], starts: clusters, labels, classes: known ? classesOf(known) : undefined };
    return level ? rosterAt(roster, level[axis].cut.labels) : roster;
  };
  return { rows: of("rows"), columns: of("columns") };
}

/** Categories that there are at least. */
const most = ({ blocks }: RunDocument): number => (blocks.categories ? blocks.components : 2);

/** Whether a mean of cells is what a block says, too. */
const isReal = ({ blocks }: RunDocument): boolean => blocks.tables[0]?.mean !== undefined;

/** What went in, and what came out. */
function Lead({ run }: { run: RunFigures }) {
  const toCertainty = (event: MouseEvent): void => {
    // The address holds what is chosen, and no place.
    event.preventDefault();
    document.getElementById("sure-title")?.scrollIntoView();
  };
  return (
    <p class="lead">
      <span>
        {format.plural(run.rows, "row")} × {format.plural(run.columns, "column")}
        {run.dimension > 1 && `, ${run.dimension} numbers a cell`}
      </span>{" "}
      <span class="arrow" role="img" aria-label="became">
        →
      </span>{" "}
      <strong>
        {format.plural(run.row_clusters, "row cluster")} × {format.plural(run.column_clusters, "column cluster")}
      </strong>{" "}
      {doubtOf(run.verdict) !== null && (
        <a class="doubt-link" href="#sure-title" onClick={toCertainty}>
          <Doubt verdict={run.verdict} full />
        </a>
      )}
    </p>
  );
}

function Notes({ notes }: { notes: readonly Noted[] }) {
  if (notes.length === 0) return null;
  return (
    <details class="warnings" open={notes.length <= 3}>
      <summary>{format.plural(notes.length, "note")}</summary>
      <ul>
        {notes.map((note) => (
          <li key={textOf(note)}>
            <Said text={capitalised(note)} />
          </li>
        ))}
      </ul>
    </details>
  );
}
