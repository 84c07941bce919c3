import { useEffect, useRef, useState } from "preact/hooks";

import type { Problem } from "../../api/client";
import type { Dataset } from "../../api/types";
import { asProblem } from "../../api/use";
import { Button, ProblemNote, ProgressBar, format } from "../../ui";
import { FirstLines } from "./FirstLines";
import { usePreview } from "./preview";
import { ReadingFields } from "./ReadingFields";
import { AS_IT_IS, type Reading, kindOf } from "./reading";
import { upload } from "./upload";

interface Props {
  file: File;
  onUploaded: (dataset: Dataset) => void;
  onLeave: () => void;
}

/** A file that was chosen: how it is read, and its way to the server. */
export function FileStep({ file, onUploaded, onLeave }: Props) {
  const [reading, setReading] = useState<Reading>(AS_IT_IS);
  const seen = usePreview(file, reading);
  const [sent, setSent] = useState<number>();
  const [problem, setProblem] = useState<Problem>();
  /** Seconds until a part is sent again that did not get through. */
  const [waits, setWaits] = useState<number>();
  const control = useRef<AbortController>();
  useEffect(() => () => control.current?.abort(), []);

  const start = async (): Promise<void> => {
    control.current = new AbortController();
    setProblem(undefined);
    setSent(0);
    try {
      onUploaded(await upload(file, reading, setSent, setWaits, control.current.signal));
    } catch (error) {
      if (!control.current.signal.aborted) setProblem(asProblem(error));
      setSent(undefined);
      setWaits(undefined);
    }
  };

  const busy = sent !== undefined;
  return (
    <section class="stack" aria-labelledby="file-title">
      <div class="bar">
        <h2 id="file-title">
          {file.name} <small>{format.bytes(file.size)}</small>
        </h2>
        {!busy && (
          <Button kind="quiet" onClick={onLeave}>
            Choose another
          </Button>
        )}
      </div>
      <FirstLines name={file.name} seen={seen} reading={reading} busy={busy} onRead={setReading} />
      {!seen.loading && (
        <fieldset class="stack" disabled={busy}>
          <legend class="spoken">How the file is read</legend>
          <ReadingFields reading={reading} onChange={setReading} preview={seen.preview} kind={kindOf(file.name)} />
        </fieldset>
      )}
      {problem && (
        <ProblemNote problem={problem} retry={problem.kind === "input" ? undefined : () => void start()}>
          {problem.kind !== "input" && <p>The server keeps what was sent for a while, and the upload continues there.</p>}
        </ProblemNote>
      )}
      {busy ? (
        <div class="actions">
          <ProgressBar
            done={sent}
            total={file.size}
            label={`Upload of ${file.name}`}
            text={`${format.bytes(sent)} of ${format.bytes(file.size)}`}
          />
          <Button onClick={() => control.current?.abort()}>Stop</Button>
          <span class={waits === undefined ? "spoken" : "doubt"} role="status">
            {waits === undefined
              ? `Sending ${file.name}`
              : `The server did not take a part of the file. It is sent again in ${format.plural(waits, "second")}.`}
          </span>
        </div>
      ) : (
        <div class="actions">
          <Button kind="primary" onClick={() => void start()}>
            Upload and check
          </Button>
        </div>
      )}
    </section>
  );
}
