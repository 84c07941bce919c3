/** Choose how many clusters to look at, by the trees of a run. */
import { useId } from "preact/hooks";

import { Button } from "../ui/Button";
import * as format from "../ui/format";
import { WHICH_LEVEL } from "./WhichLevel";
import { certaintyAt } from "./curves";
import type { Branches, Level, Levels } from "./level";
import "./levels.css";
import type { Chosen } from "./useLevel";

interface Props {
  readonly levels: Levels;
  readonly chosen: Chosen;
  /** List what is set aside; undefined: the names are not known. */
  readonly onAside?: ((axis: "rows" | "columns") => void) | undefined;
}

export function LevelBar({ levels, chosen: { level, choose }, onAside }: Props) {
  if (!isChoice(level)) return null;
  return (
    <div class="levels" role="group" aria-label="Number of clusters to look at">
      {(["rows", "columns"] as const).map((axis) => (
        <Axis
          key={axis}
          word={axis === "rows" ? "row" : "column"}
          of={level[axis]}
          onChoose={(number) => choose(axis, number)}
          onAside={onAside && (() => onAside(axis))}
        />
      ))}
      <Told levels={levels} level={level} />
    </div>
  );
}

/** Why this level, or how sure it is; a run of an earlier version has its sentence alone. */
function Told({ levels, level }: { levels: Levels; level: Level }) {
  const first = isFirst(levels, level);
  if (!levels.curves) return first && levels.first ? <p class="note">{levels.first.sentence}</p> : null;
  const sure = certaintyAt(levels.curves, level);
  return (
    <p class="note">
      {first && "This level is shown first. "}
      {sure && (
        <>
          {sure} <code>disnplbm cut</code> writes it for each label.{" "}
        </>
      )}
      <button
        type="button"
        class="plain"
        onClick={() => {
          const title = document.getElementById(WHICH_LEVEL);
          title?.scrollIntoView({ block: "start" });
          title?.focus({ preventScroll: true });
        }}
      >
        {first ? "Why this level?" : "Which level?"}
      </button>
    </p>
  );
}

/** Whether there is more than one level. */
const isChoice = ({ rows, columns }: Level): boolean => rows.tree.sizes.length > 1 || columns.tree.sizes.length > 1;

const isFirst = ({ first }: Levels, { rows, columns }: Level): boolean =>
  first !== null && rows.cut.sizes.length === first.rows && columns.cut.sizes.length === first.columns;

function Axis({
  word,
  of: { tree, cut, number, most },
  onChoose,
  onAside,
}: {
  word: string;
  of: Branches;
  onChoose: (number: number | null) => void;
  onAside: (() => void) | undefined;
}) {
  const id = useId();
  const all = tree.sizes.length;
  // Behind the finest cut come the clusters of the run.
  const last = most < all ? most + 1 : all;
  if (all < 2) return null;
  const said = `${number === null ? `All ${format.count(all)}` : `${format.count(number)} of ${format.count(all)}`} ${word} clusters`;
  const aside = cut.aside > 0 ? `${format.plural(cut.aside, word)} set aside` : "";
  return (
    <div class="level">
      <div class="level-head">
        <label for={id}>
          <b>{said}</b>
        </label>
        {aside && (
          <small>
            {onAside ? (
              <button type="button" class="plain" onClick={onAside} title={`${ASIDE}. Press to list them`}>
                {aside}
              </button>
            ) : (
              <span title={ASIDE}>{aside}</span>
            )}
          </small>
        )}
      </div>
      <input
        id={id}
        type="range"
        min={1}
        max={last}
        value={number ?? last}
        aria-valuetext={aside ? `${said}, ${aside}` : said}
        onInput={(event) => {
          const value = Number(event.currentTarget.value);
          onChoose(value >= last ? null : value);
        }}
      />
      <Button
        kind="quiet"
        disabled={number === null}
        onClick={() => onChoose(null)}
        title={`Show all ${word} clusters of the run`}
        aria-label={`Fine: all ${format.count(all)} ${word} clusters`}
      >
        Fine
      </Button>
    </div>
  );
}

const ASIDE = "Too few for a cluster of this level: they differ from all of its clusters";
