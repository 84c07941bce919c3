import { useState } from "preact/hooks";

import { del, post } from "../../api/client";
import { asProblem } from "../../api/use";
import type { Run } from "../../api/types";
import { navigate } from "../../router";
import { Button, Confirm, format, titleOf, useMayChange } from "../../ui";
import { MOST_RUNS, compareAddress } from "../compare/address";

const FEWEST = 2;

type Doing = "cancel" | "delete";

interface Props {
  chosen: Run[];
  onDone: () => void;
  onClear: () => void;
}

/** What can be done with the runs that are chosen. */
export function Bulk({ chosen, onDone, onClear }: Props) {
  const [asking, setAsking] = useState<Doing>();
  const mayChange = useMayChange();
  const able = (action: Doing): Run[] => chosen.filter((run) => run.allowed_actions.includes(action));
  const comparable = chosen.filter((run) => run.state === "SUCCEEDED");
  const compare = (): void => navigate(compareAddress(comparable.map((run) => run.id)));
  const wanted = asking === undefined ? [] : able(asking);
  const them = wanted.length === 1 ? "it" : "them";
  const [cancelling, deleting] = [able("cancel").length, able("delete").length];
  const canCompare =
    comparable.length === chosen.length && comparable.length >= FEWEST && comparable.length <= MOST_RUNS;
  return (
    <div class="bulk" role="region" aria-label="What is chosen">
      <span role="status">{format.plural(chosen.length, "run")} chosen</span>
      <Button onClick={compare} disabled={!canCompare} title={`Choose ${FEWEST} to ${MOST_RUNS} runs that succeeded`}>
        Compare
      </Button>
      {mayChange && (
        <>
          <Button kind="danger" onClick={() => setAsking("cancel")} disabled={cancelling === 0}>
            Cancel {cancelling > 0 && cancelling < chosen.length ? `${cancelling} of them` : ""}
          </Button>
          <Button kind="danger" onClick={() => setAsking("delete")} disabled={deleting === 0}>
            Delete {deleting > 0 && deleting < chosen.length ? `${deleting} of them` : ""}
          </Button>
        </>
      )}
      <Button kind="quiet" onClick={onClear}>
        Choose none
      </Button>
      {asking && (
        <Confirm
          title={`${asking === "cancel" ? "Cancel" : "Delete"} ${format.plural(wanted.length, "run")}?`}
          action={`${asking === "cancel" ? "Cancel" : "Delete"} ${them}`}
          danger
          onConfirm={async () => {
            await doAll(asking, wanted);
            onDone();
          }}
          onClose={() => setAsking(undefined)}
        >
          <p>
            {asking === "cancel"
              ? "They end at once and for good: they will have no results; their traces so far stay."
              : "Their results go with them. This cannot be undone."}
          </p>
          <ul class="names">
            {wanted.map((run) => (
              <li key={run.id}>
                {titleOf(run)} <small>{run.id}</small>
              </li>
            ))}
          </ul>
        </Confirm>
      )}
    </div>
  );
}

/** Do it to each; the first failure is told once all were tried. */
async function doAll(doing: Doing, runs: Run[]): Promise<void> {
  const failed: unknown[] = [];
  for (const run of runs) {
    const path = { run_id: run.id };
    try {
      if (doing === "cancel") await post("/runs/{run_id}/cancel", { path, body: {} });
      else await del("/runs/{run_id}", { path });
    } catch (error) {
      // Gone already, or over by now: what was wanted.
      if (![404, 409].includes(asProblem(error).status)) failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
}
