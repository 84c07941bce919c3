import { useState } from "preact/hooks";

import type { Problem } from "../../api/client";
import type { Dataset } from "../../api/types";
import { Button, ProblemNote } from "../../ui";
import { CannotRead } from "./CannotRead";
import { FirstLines } from "./FirstLines";
import { usePreview } from "./preview";
import { ReadingFields } from "./ReadingFields";
import { type Reading, kindOf, linesOf, readingOf } from "./reading";
import type { Reader } from "./useRead";

interface Props {
  dataset: Dataset;
  /** The file itself, if this page sent it: its first lines are shown. */
  file: File | undefined;
  /** Why it cannot be read as it is; undefined if it can. */
  problem: Problem | undefined;
  reader: Reader;
}

/** How an uploaded file is read, and another way to read it: the file is not sent again. */
export function HowRead({ dataset, file, problem, reader }: Props) {
  const now = readingOf(dataset);
  const [reading, setReading] = useState(now);
  const { read, busy } = reader;
  const seen = usePreview(file, reading);
  const lines = linesOf(now);
  return (
    <>
      {problem && (
        <CannotRead
          title={problem.title}
          message={problem.said}
          proposed={problem.more.reading as Partial<Reading> | undefined}
          now={now}
          busy={busy}
          onRead={(as) => void read(as)}
        />
      )}
      <details class="advanced" open={problem !== undefined && problem.more.reading === undefined}>
        <summary>
          How the file is read <small>{lines.length === 0 ? "automatic" : lines.join(" · ")}</small>
        </summary>
        <div class="stack">
          {file && (
            <FirstLines
              name={file.name}
              seen={seen}
              reading={reading}
              busy={busy}
              told={problem !== undefined && JSON.stringify(reading) === JSON.stringify(now)}
              onRead={setReading}
            />
          )}
          {!seen.loading && (
            <fieldset class="stack" disabled={busy}>
              <legend class="spoken">How the file is read</legend>
              <ReadingFields reading={reading} onChange={setReading} preview={seen.preview} kind={kindOf(dataset.name)} />
            </fieldset>
          )}
          <div class="actions">
            <Button busy={busy} onClick={() => void read(reading)}>
              Read it like this
            </Button>
            <span class="note">The file is not uploaded again.</span>
          </div>
        </div>
      </details>
      {reader.problem && <ProblemNote problem={reader.problem} />}
    </>
  );
}
