import { useEffect, useRef, useState } from "preact/hooks";

import type { Problem } from "../../api/client";
import type { Dataset } from "../../api/types";
import { asProblem } from "../../api/use";
import { Button, Field, ProblemNote, ProgressBar, format } from "../../ui";
import { AS_IT_IS, type Head, type Reading, guess, headOf, kindOf, strayOf } from "./reading";
import { upload } from "./upload";

const PREVIEW_ROWS = 5;
const PREVIEW_COLUMNS = 10;

interface Props {
  file: File;
  onUploaded: (dataset: Dataset) => void;
  onLeave: () => void;
}

/** A file that was chosen: how it is read, and its way to the server. */
export function FileStep({ file, onUploaded, onLeave }: Props) {
  const [reading, setReading] = useState<Reading>(AS_IT_IS);
  const [head, setHead] = useState<Head | null>(null);
  const [sent, setSent] = useState<number>();
  const [problem, setProblem] = useState<Problem>();
  const control = useRef<AbortController>();
  const kind = kindOf(file.name);

  useEffect(() => {
    if (kind !== "text") return undefined;
    let wanted = true;
    void headOf(file, reading.header).then((found) => {
      if (!wanted) return;
      setHead(found);
      setReading((now) => ({ ...guess(found), header: now.header }));
    });
    return () => {
      wanted = false;
    };
  }, [file, kind, reading.header]);
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
  const roles = [reading.id_column, reading.class_column];
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
      {kind !== "numbers" && (
        <fieldset class="fields" disabled={busy}>
          <legend class="spoken">How the file is read</legend>
          <Role
            label="Names of the rows"
            hint="A column that is no data, and names each row."
            value={reading.id_column}
            names={head?.names}
            onChange={(id_column) => setReading({ ...reading, id_column })}
          />
          <Role
            label="Known classes of the rows"
            hint="Used to score what is found, not to find it."
            value={reading.class_column}
            names={head?.names}
            onChange={(class_column) => setReading({ ...reading, class_column })}
          />
          {kind === "text" && (
            <Field label="First line">
              {(tie) => (
                <select
                  {...tie}
                  value={String(reading.header)}
                  onChange={(event) => setReading({ ...reading, header: headerOf(event.currentTarget.value) })}
                >
                  <option value="auto">Judge by what is in it</option>
                  <option value="true">Names the columns</option>
                  <option value="false">Is a row of the table</option>
                </select>
              )}
            </Field>
          )}
        </fieldset>
      )}
      {stray !== undefined && (
        <p class="warnings">
          {stray} holds numbers, and “{strayOf(head!, stray)}”, which is none: correct it in the file, or leave the cell
          blank if it is missing.
        </p>
      )}
      {left.length > 0 && (
        <p class="warnings">
          {left.slice(0, 5).join(", ")} {left.length > 5 && `and ${left.length - 5} more `}
          {left.length === 1 ? "holds" : "hold"} text, not numbers. Say above what {left.length === 1 ? "it is" : "they are"}
          , or take {left.length === 1 ? "it" : "them"} out of the file.
        </p>
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

const headerOf = (value: string): Reading["header"] => (value === "auto" ? "auto" : value === "true");

function Role(props: {
  label: string;
  hint: string;
  value: string | null;
  /** Undefined where the columns are not known here. */
  names: string[] | undefined;
  onChange: (name: string | null) => void;
}) {
  const { label, hint, value, names, onChange } = props;
  return (
    <Field label={label} hint={hint}>
      {(tie) =>
        names === undefined ? (
          <input
            {...tie}
            value={value ?? ""}
            placeholder="Name of a column, or empty"
            maxLength={200}
            onInput={(event) => onChange(event.currentTarget.value || null)}
          />
        ) : (
          <select {...tie} value={value ?? ""} onChange={(event) => onChange(event.currentTarget.value || null)}>
            <option value="">None</option>
            {[...new Set(names.filter((name) => name !== ""))].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )
      }
    </Field>
  );
}

function Preview({ head, reading }: { head: Head; reading: Reading }) {
  const shown = head.names.slice(0, PREVIEW_COLUMNS);
  const hidden = head.names.length - shown.length;
  const role = (name: string): string =>
    name === reading.id_column ? "names" : name === reading.class_column ? "classes" : "";
  return (
    <div class="wide" role="region" aria-label="First rows of the file" tabIndex={0}>
      <table class="preview">
        <thead>
          <tr>
            {shown.map((name, j) => (
              <th key={j} class={role(name)} scope="col">
                {name || format.NONE}
                {role(name) && <small> {role(name)}</small>}
              </th>
            ))}
            {hidden > 0 && <th scope="col">{`and ${format.count(hidden)} more`}</th>}
          </tr>
        </thead>
        <tbody>
          {head.rows.slice(0, PREVIEW_ROWS).map((row, i) => (
            <tr key={i}>
              {shown.map((name, j) => (
                <td key={j} class={role(name)}>
                  {row[j] ?? ""}
                </td>
              ))}
              {hidden > 0 && <td>…</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
