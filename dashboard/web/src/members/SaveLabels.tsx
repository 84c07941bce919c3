/** Saves who is in which cluster, at the level that is shown, as a table. */
import { useEffect, useState } from "preact/hooks";

import { labelAt } from "./roster";
import type { Rosters } from "./Find";
import { Button } from "../ui/Button";
import { download } from "../ui/download";

/** A table of names and labels, in the order in which they are shown; -1 is set aside. */
export function tableOf({ names, starts, labels }: NonNullable<Rosters["rows"]>): string {
  const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = names.map((name, place) => `${quoted(name)},${labelAt({ names, starts, labels }, place)}`);
  return ["id,label", ...lines, ""].join("\n");
}

export function SaveLabels({ rosters, onWanted }: { rosters: Rosters; onWanted?: () => void }) {
  /** What was asked for before the names were there. */
  const [awaited, setAwaited] = useState<"rows" | "columns">();
  const roster = awaited && rosters[awaited];
  useEffect(() => {
    if (!awaited || roster === undefined) return;
    if (roster) download(new Blob([tableOf(roster)], { type: "text/csv" }), `${awaited}-level.csv`);
    setAwaited(undefined);
  }, [awaited, roster]);
  return (
    <div class="save-labels" role="group" aria-label="Save the labels of this level">
      <small>Labels of this level</small>
      {(["rows", "columns"] as const).map((axis) => (
        <Button
          key={axis}
          kind="quiet"
          disabled={rosters[axis] === null}
          aria-label={`Save the labels of the ${axis}`}
          onClick={() => {
            setAwaited(axis);
            onWanted?.();
          }}
        >
          {axis}
        </Button>
      ))}
    </div>
  );
}
