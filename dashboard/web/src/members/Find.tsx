/** Find rows and columns by name; what is found opens the heatmap at its place. */
import { useId } from "preact/hooks";

import { ASIDE } from "../levels/tree";
import * as format from "../ui/format";
import "./members.css";
import { type Roster, labelAt, search } from "./roster";

/** Names of an axis that are listed. */
const MOST = 8;

/** Who is where on either axis; null: the names are not known here. */
export interface Rosters {
  readonly rows: Roster | null | undefined;
  readonly columns: Roster | null | undefined;
}

interface Props {
  readonly rosters: Rosters;
  /** As the address has it. */
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onLook: (axis: "rows" | "columns", place: number) => void;
  /** List the members of a cluster: who is with somebody. */
  readonly onMembers: (axis: "rows" | "columns", label: number) => void;
  /** The names are wanted now; they may not be there yet. */
  readonly onWanted?: () => void;
}

export function Find({ rosters, text, onText, onLook, onMembers, onWanted }: Props) {
  const id = useId();
  const waiting = rosters.rows === undefined || rosters.columns === undefined;
  return (
    <div class="find" role="search">
      <div class="find-field">
        <label for={id}>
          <b>Find</b> a row or a column
        </label>
        <input
          id={id}
          type="search"
          placeholder="part of its name"
          value={text}
          onFocus={onWanted}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </div>
      {text.trim() !== "" && (
        <div class="found" aria-live="polite">
          {waiting && <p class="note">Reading the names…</p>}
          {(["rows", "columns"] as const).map((axis) => (
            <Found
              key={axis}
              axis={axis}
              roster={rosters[axis]}
              text={text}
              onLook={(place) => onLook(axis, place)}
              onMembers={(label) => onMembers(axis, label)}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function Found({
  axis,
  roster,
  text,
  onLook,
  onMembers,
}: {
  axis: "rows" | "columns";
  roster: Roster | null | undefined;
  text: string;
  onLook: (place: number) => void;
  onMembers: (label: number) => void;
}) {
  if (roster === undefined) return null;
  const word = axis === "rows" ? "row" : "column";
  if (roster === null) {
    return (
      <p class="note">
        This page does not hold the names of so many {axis}: look in <code>{axis}.csv</code>.
      </p>
    );
  }
  const found = search(roster.names, text);
  return (
    <div>
      <p class="note">{found.length === 0 ? `No ${word} has a name like that.` : format.plural(found.length, word)}</p>
      <ul>
        {found.slice(0, MOST).map((place) => {
          const label = labelAt(roster, place);
          return (
            <li key={place}>
              <button type="button" class="plain" onClick={() => onLook(place)} title="Show it in the heatmap">
                <Marked name={roster.names[place]!} text={text} />
              </button>{" "}
              <small>
                <button type="button" class="plain with" onClick={() => onMembers(label)} title="List who is with it">
                  {label === ASIDE ? "set aside" : `cluster ${label}`}
                </button>
              </small>
            </li>
          );
        })}
        {found.length > MOST && <li class="note">and {format.count(found.length - MOST)} more: type more letters</li>}
      </ul>
    </div>
  );
}

/** A name with the part that was looked for. */
function Marked({ name, text }: { name: string; text: string }) {
  const at = name.toLowerCase().indexOf(text.trim().toLowerCase());
  const end = at + text.trim().length;
  // Some letters change their number with their case.
  if (at < 0 || end > name.length) return <>{name}</>;
  return (
    <>
      {name.slice(0, at)}
      <mark>{name.slice(at, end)}</mark>
      {name.slice(end)}
    </>
  );
}
