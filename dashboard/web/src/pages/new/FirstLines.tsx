import { Loading, ProblemNote, format } from "../../ui";
import { CannotRead } from "./CannotRead";
import { Notes } from "./Notes";
import type { Preview, Seen } from "./preview";
import { AS_IT_IS, NO_COLUMN, type Reading, kindOf, linesOf, withHint } from "./reading";

/** The kind of a note on what the reader took to be so by itself. */
const ASSUMED = "assumed";

interface Props {
  /** The file's name. */
  name: string;
  seen: Seen;
  /** How it is asked to be read. */
  reading: Reading;
  busy: boolean;
  /** The page says already why the file cannot be read like this. */
  told?: boolean;
  onRead: (reading: Reading) => void;
}

/** The first lines of a file, how the server reads them, and how they can be read if not like this. */
export function FirstLines({ name, seen, reading, busy, told = false, onRead }: Props) {
  const { preview, problem, loading, retry } = seen;
  // What can be overruled is said in the line of facts.
  const notes = (preview?.noted ?? []).filter((note) => typeof note === "string" || note.kind !== ASSUMED);
  if (kindOf(name) !== "text") {
    return <p class="note">The server looks into a file of this kind once it is uploaded.</p>;
  }
  if (loading) return <Loading what="Looking at the first lines" />;
  return (
    <>
      {problem && <ProblemNote problem={problem} retry={retry} />}
      {preview && preview.rows.length > 0 && (
        <>
          <Table preview={preview} reading={reading} />
          <p class="note">{factsOf(preview).join(" · ")}</p>
        </>
      )}
      {preview && notes.length > 0 && (
        <Notes
          notes={notes}
          of="to know of its first lines"
          follow={(hint) => {
            const read = withHint(reading, hint);
            return read && (() => onRead(read));
          }}
        />
      )}
      {preview?.fault && !told && (
        <CannotRead
          title="The file cannot be read like this"
          message={preview.fault}
          proposed={preview.proposed}
          now={reading}
          busy={busy}
          onRead={onRead}
        />
      )}
    </>
  );
}

/** How the server reads a file, one line for each thing. */
function factsOf({ delimiter, decimal, header, id_column, class_column }: Preview): string[] {
  return linesOf({
    ...AS_IT_IS,
    delimiter: delimiter || "auto",
    decimal: (decimal || "auto") as Reading["decimal"],
    header: header ?? "auto",
    id_column: id_column ?? NO_COLUMN,
    class_column,
  });
}

function Table({ preview, reading }: { preview: Preview; reading: Reading }) {
  const shown = preview.names.slice(0, preview.rows[0]!.length);
  const hidden = preview.columns - shown.length;
  const role = (name: string): string => {
    if (name === preview.id_column) return "names";
    if (name === preview.class_column) return "classes";
    if (preview.class_like.includes(name)) return "classes?";
    return reading.drop_columns.includes(name) ? "left out" : "";
  };
  return (
    <div class="wide" role="region" aria-label="First rows of the file" tabIndex={0}>
      <table class="preview">
        <thead>
          <tr>
            {shown.map((name, j) => (
              <th key={j} class={role(name)} scope="col">
                {name}
                {role(name) && <small> {role(name)}</small>}
              </th>
            ))}
            {hidden > 0 && <th scope="col">{`and ${format.count(hidden)} more`}</th>}
          </tr>
        </thead>
        <tbody>
          {preview.rows.map((row, i) => (
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
