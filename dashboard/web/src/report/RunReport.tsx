/** The report of a run. */
import { useEffect, useMemo, useRef } from "preact/hooks";

import { type Noted, capitalised, textOf } from "../api/names";
import { taken } from "../charts/ticks";
import { spreadOf } from "../heatmap/scale";
import type { Part } from "../heatmap/useHeatmap";
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

const themed = read(location.hash, { theme: "" })["theme"];
if (themed) chooseTheme(themed);

export function RunReport({ found }: { found: RunDocument }) {
  const { run, matrix, certainty } = found;
  const initial = { theme: "auto", pixel: matrix.pixel, colours: "", trace: "all", ...PARTS };
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
  const scale = useMemo(() => ({ ...fittedScale, spread: spread ?? fittedScale.spread }), [fittedScale, spread]);
  const part = (prefix: string): Part => ({
    rows: state[`${prefix}rows`] || null,
    columns: state[`${prefix}columns`] || null,
  });
  const look = (rows: number | null, columns: number | null): void => {
    const span = (borders: readonly number[], cluster: number | null): string =>
      cluster === null ? "" : `${borders[cluster]}-${borders[cluster + 1]}`;
    const { reordered } = matrix;
    change({ rows: span(reordered.rows.borders, rows), columns: span(reordered.columns.borders, columns) });
    section.current?.scrollIntoView({ block: "start" });
  };
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
      </Head>
      <main>
        <Notes notes={run.notes} />
        <div ref={section}>
          <MatrixSection
            run={run}
            kind={kind}
            categories={found.blocks.categories ?? []}
            matrix={matrix}
            pixel={pixel}
            scale={scale}
            parts={{ reordered: part(""), original: part("read-") }}
            onPixel={(to) => change({ pixel: to })}
            onSpread={(to) => change({ colours: to })}
            onPart={(order, { rows, columns }) => {
              const prefix = order === "reordered" ? "" : "read-";
              change({ [`${prefix}rows`]: rows ?? "", [`${prefix}columns`]: columns ?? "" });
            }}
          />
        </div>
        <TraceSection
          found={found}
          late={state["trace"] === "late"}
          onLate={(late) => change({ trace: late ? "late" : "all" })}
        />
        {certainty && <CertaintySection found={certainty} />}
        <BlockSection found={found} kind={kind} scale={isReal(found) ? scale : undefined} onLook={look} />
        <RunSection run={run} />
      </main>
    </>
  );
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
