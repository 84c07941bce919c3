import { useState } from "preact/hooks";

import { Problem, put } from "../../api/client";
import type { Dataset } from "../../api/types";
import { asProblem } from "../../api/use";
import { Button, ProblemNote } from "../../ui";
import { Preview, useHead } from "./Preview";
import { ReadingFields } from "./ReadingFields";
import { AS_IT_IS, type Reading, kindOf, linesOf } from "./reading";
import { inPages } from "./warnings";

interface Props {
  dataset: Dataset;
  /** The file itself, if this page sent it: its first lines are shown. */
  file: File | undefined;
  /** Why it cannot be read as it is; undefined if it can. */
  problem: Problem | undefined;
  onRead: (dataset: Dataset) => void;
}

/** How an uploaded file is read, and another way to read it: the file is not sent again. */
export function HowRead({ dataset, file, problem, onRead }: Props) {
  const now: Reading = { ...AS_IT_IS, ...dataset.reading };
  const [reading, setReading] = useState(now);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<Problem>();
  const head = useHead(file, reading);
  const read = async (as: Reading): Promise<void> => {
    setBusy(true);
    setFailed(undefined);
    try {
      onRead(await put("/datasets/{dataset_id}/reading", { path: { dataset_id: dataset.id }, body: as }));
    } catch (error) {
      setFailed(asProblem(error));
      setBusy(false);
    }
  };
  const lines = linesOf(now);
  return (
    <>
      {problem && <CannotRead problem={problem} now={now} busy={busy} onRead={(as) => void read(as)} />}
      <details class="advanced" open={problem !== undefined && problem.more.reading === undefined}>
        <summary>
          How the file is read <small>{lines.length === 0 ? "as it is" : lines.join(" · ")}</small>
        </summary>
        <div class="stack">
          {head && <Preview head={head} reading={reading} />}
          <fieldset class="stack" disabled={busy}>
            <legend class="spoken">How the file is read</legend>
            <ReadingFields reading={reading} onChange={setReading} names={head?.names} kind={kindOf(dataset.name)} />
          </fieldset>
          <div class="actions">
            <Button busy={busy} onClick={() => void read(reading)}>
              Read it like this
            </Button>
            <span class="note">The file is not uploaded again.</span>
          </div>
        </div>
      </details>
      {failed && <ProblemNote problem={failed} />}
    </>
  );
}

/** Why a file cannot be read as it is, and how it can be, where the server knows. */
function CannotRead(props: { problem: Problem; now: Reading; busy: boolean; onRead: (reading: Reading) => void }) {
  const { problem, now, busy, onRead } = props;
  const said = new Problem(problem.status, problem.kind, problem.title, inPages(problem.message));
  const better = problem.more.reading as Partial<Reading> | undefined;
  if (better === undefined) {
    return (
      <ProblemNote problem={said}>
        <p>Change below how the file is read, or correct the file and upload it again.</p>
      </ProblemNote>
    );
  }
  const reading = { ...AS_IT_IS, ...better };
  const known = linesOf(now);
  return (
    <ProblemNote problem={said}>
      <p>It can be read like this:</p>
      <ul>
        {linesOf(reading)
          .filter((line) => !known.includes(line))
          .map((line) => (
            <li key={line}>{line}</li>
          ))}
      </ul>
      <Button kind="primary" busy={busy} onClick={() => onRead(reading)}>
        Read it with these changes
      </Button>
    </ProblemNote>
  );
}
