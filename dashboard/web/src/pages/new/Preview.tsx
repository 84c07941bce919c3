import { useEffect, useState } from "preact/hooks";

import { format } from "../../ui";
import { type Head, type Reading, headOf, kindOf } from "./reading";

const PREVIEW_ROWS = 5;
const PREVIEW_COLUMNS = 10;

/** The first lines of a file of text, as they are read; null where they cannot be seen here. */
export function useHead(file: File | undefined, reading: Reading): Head | null {
  const [head, setHead] = useState<Head | null>(null);
  const { header, delimiter, decimal, thousands, missing } = reading;
  useEffect(() => {
    if (file === undefined || kindOf(file.name) !== "text") return undefined;
    let wanted = true;
    void headOf(file, reading).then((found) => {
      if (wanted) setHead(found);
    });
    return () => {
      wanted = false;
    };
  }, [file, header, delimiter, decimal, thousands, missing.join("\n")]);
  return head;
}

export function Preview({ head, reading }: { head: Head; reading: Reading }) {
  const shown = head.names.slice(0, PREVIEW_COLUMNS);
  const hidden = head.names.length - shown.length;
  const role = (name: string): string => {
    if (name === reading.id_column) return "names";
    if (name === reading.class_column) return "classes";
    return reading.drop_columns.includes(name) ? "left out" : "";
  };
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
