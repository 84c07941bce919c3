import { useEffect, useRef, useState } from "preact/hooks";

import type { Problem } from "../../api/client";
import type { Dataset } from "../../api/types";
import { asProblem } from "../../api/use";
import { Button, ProblemNote, ProgressBar, format } from "../../ui";
import { Preview, useHead } from "./Preview";
import { ReadingFields } from "./ReadingFields";
import { AS_IT_IS, type Reading, guess, kindOf, strayOf } from "./reading";
import { upload } from "./upload";

interface Props {
  file: File;
  onUploaded: (dataset: Dataset) => void;
  onLeave: () => void;
}

/** A file that was chosen: how it is read, and its way to the server. */
export function FileStep({ file, onUploaded, onLeave }: Props) {
  const [reading, setReading] = useState<Reading>(AS_IT_IS);
  const head = useHead(file, reading);
  const [sent, setSent] = useState<number>();
  const [problem, setProblem] = useState<Problem>();
  const control = useRef<AbortController>();
  // Another look may find other columns.
  useEffect(() => setReading((now) => ({ ...now, ...guess(head), drop_columns: [] })), [head?.names.join("\n")]);
  useEffect(() => () => control.current?.abort(), []);

  const start = async (): Promise<void> => {
    control.current = new AbortController();
    setProblem(undefined);
    setSent(0);
    try {
      onUploaded(await upload(file, reading, setSent, control.current.signal));
    } catch (error) {
      if (!control.current.signal.aborted) setProblem(asProblem(error));
      setSent(undefined);
    }
  };

  const busy = sent !== undefined;
  const roles = [reading.id_column, reading.class_column, ...reading.drop_columns];
  const odd = (head?.text ?? []).filter((name, at) => !roles.includes(name) && !(name === "" && at === 0));
  const stray = odd.find((name) => strayOf(head!, name) !== undefined);
  const left = odd.filter((name) => strayOf(head!, name) === undefined);
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
      {head && <Preview head={head} reading={reading} />}
      <fieldset class="stack" disabled={busy}>
        <legend class="spoken">How the file is read</legend>
        <ReadingFields reading={reading} onChange={setReading} names={head?.names} kind={kindOf(file.name)} />
      </fieldset>
      {stray !== undefined && (
        <div class="warnings actions">
          <p>
            {stray} holds numbers, and “{strayOf(head!, stray)}”, which is none. Correct it in the file, or read it as
            missing.
          </p>
          <Button
            disabled={busy}
            onClick={() => setReading({ ...reading, missing: [...reading.missing, strayOf(head!, stray)!.trim()] })}
          >
            Read “{strayOf(head!, stray)}” as missing
          </Button>
        </div>
      )}
      {left.length > 0 && (
        <div class="warnings actions">
          <p>
            {left.slice(0, 5).join(", ")} {left.length > 5 && `and ${left.length - 5} more `}
            {left.length === 1 ? "holds" : "hold"} text, not numbers. Say above what {left.length === 1 ? "it is" : "they are"}
            , or leave {left.length === 1 ? "it" : "them"} out.
          </p>
          <Button
            disabled={busy}
            onClick={() => setReading({ ...reading, drop_columns: [...reading.drop_columns, ...left] })}
          >
            Leave {left.length === 1 ? "it" : "them"} out
          </Button>
        </div>
      )}
      {problem && (
        <ProblemNote problem={problem} retry={() => void start()}>
          <p>What was sent is kept for a while: the upload goes on from there.</p>
        </ProblemNote>
      )}
      {busy ? (
        <div class="actions" role="status">
          <ProgressBar
            done={sent}
            total={file.size}
            label={`Upload of ${file.name}`}
            text={`${format.bytes(sent)} of ${format.bytes(file.size)}`}
          />
          <Button onClick={() => control.current?.abort()}>Stop</Button>
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
