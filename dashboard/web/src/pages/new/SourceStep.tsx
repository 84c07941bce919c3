import { useRef, useState } from "preact/hooks";

import { get } from "../../api/client";
import { ENDINGS } from "../../api/options";
import { useResource } from "../../api/use";
import { Link } from "../../router";
import { Button, Loading, ProblemNote, SearchField, Time, format } from "../../ui";

const SHOWN = 20;

/** Where the data come from: a file, or what was uploaded before. */
export function SourceStep({ onFile }: { onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file !== undefined) onFile(file);
  };
  return (
    <>
      <div
        class={`drop ${over ? "over" : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files);
        }}
      >
        <p>
          <strong>Drop a table of numbers here</strong>
        </p>
        <p class="note">
          Rows are the things, such as samples or customers; columns are what was measured of each. Cells may be empty.
        </p>
        <p class="note">{ENDINGS}</p>
        <Button kind="primary" onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={input}
          type="file"
          class="spoken"
          tabIndex={-1}
          aria-label="File with a table"
          onChange={(event) => take(event.currentTarget.files)}
        />
      </div>
      <Datasets />
    </>
  );
}

function Datasets() {
  const [search, setSearch] = useState("");
  const { data, problem, reload } = useResource(
    (signal) => get("/datasets", { query: { search, limit: SHOWN }, signal }),
    [search],
    { keep: true },
  );
  if (problem) return <ProblemNote problem={problem} retry={reload} />;
  if (data === undefined) return <Loading what="Loading datasets" />;
  if (data.items.length === 0 && search === "") return null;
  return (
    <section aria-labelledby="datasets-title">
      <div class="bar">
        <h2 id="datasets-title">Or use a table that is already here</h2>
        <SearchField of="datasets" value={search} onType={setSearch} />
      </div>
      {data.items.length === 0 && <p class="note">No dataset matches.</p>}
      <div class="wide" role="region" aria-label="Datasets" tabIndex={0}>
        <table>
          <tbody>
            {data.items.map((dataset) => (
              <tr key={dataset.id}>
                <th scope="row" class="title">
                  <Link href={`/runs/new?dataset=${dataset.id}`}>{dataset.name}</Link>
                  {dataset.state === "FAILED" && <small> cannot be read</small>}
                </th>
                <td class="number">{format.shape(dataset.rows, dataset.columns, dataset.dimension)}</td>
                <td class="number">{format.bytes(dataset.bytes)}</td>
                <td class="when">
                  <Time at={dataset.created_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {data.next !== null && <p class="note">These are the {SHOWN} newest. Search for others.</p>}
    </section>
  );
}
