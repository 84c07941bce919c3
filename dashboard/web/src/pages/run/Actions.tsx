/** What can be done with a run. */
import { useState } from "preact/hooks";

import { type Problem, address, del, post } from "../../api/client";
import type { Action, Run } from "../../api/types";
import { asProblem } from "../../api/use";
import { navigate } from "../../router";
import { Button, Confirm, ProblemNote, titleOf } from "../../ui";
import { CloneDialog } from "./CloneDialog";

type Open = "cancel" | "delete" | "clone";

export function Actions({ run, onChanged }: { run: Run; onChanged: (run: Run) => void }) {
  const [open, setOpen] = useState<Open>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const may = (action: Action): boolean => run.allowed_actions.includes(action);
  const path = { run_id: run.id };
  const now = async (what: "pause" | "resume"): Promise<void> => {
    setBusy(true);
    try {
      onChanged(await post(what === "pause" ? "/runs/{run_id}/pause" : "/runs/{run_id}/resume", { path, body: {} }));
      setProblem(undefined);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const close = (): void => setOpen(undefined);
  return (
    <>
      {may("download") && (
        <a class="button primary" href={address("/runs/{run_id}/artifacts.zip", path)} download>
          Download all
        </a>
      )}
      {may("resume") && (
        <Button kind="primary" busy={busy} onClick={() => void now("resume")}>
          Resume
        </Button>
      )}
      {may("pause") && (
        <Button busy={busy} onClick={() => void now("pause")}>
          Pause
        </Button>
      )}
      {may("clone") && (
        <Button onClick={() => setOpen("clone")} title="Run it again, with another seed or other parameters">
          Clone
        </Button>
      )}
      {may("cancel") && (
        <Button kind="danger" onClick={() => setOpen("cancel")}>
          Cancel
        </Button>
      )}
      {may("delete") && (
        <Button kind="danger" onClick={() => setOpen("delete")}>
          Delete
        </Button>
      )}
      {problem && <ProblemNote problem={problem} />}
      {open === "cancel" && (
        <Confirm
          title={`Cancel ${titleOf(run)}?`}
          action="Cancel the run"
          danger
          onConfirm={async () => onChanged(await post("/runs/{run_id}/cancel", { path, body: {} }))}
          onClose={close}
        >
          <p>It ends at once and for good: it will have no results; its traces so far stay. Pause it instead to go on later.</p>
        </Confirm>
      )}
      {open === "delete" && (
        <Confirm
          title={`Delete ${titleOf(run)}?`}
          action="Delete the run"
          danger
          onConfirm={async () => {
            await del("/runs/{run_id}", { path });
            navigate("/runs");
          }}
          onClose={close}
        >
          <p>Its results and traces go, too. The dataset stays.</p>
        </Confirm>
      )}
      {open === "clone" && <CloneDialog run={run} onClose={close} />}
    </>
  );
}
