/** The files of a finished run. */
import { address, get } from "../../api/client";
import type { Run } from "../../api/types";
import { useResource } from "../../api/use";
import { Loading, ProblemNote, format } from "../../ui";

const WHAT: Record<string, string> = {
  "rows.csv": "cluster of each row",
  "columns.csv": "cluster of each column",
  "blocks.csv": "size of each block, and what its cells say",
  "trace.csv": "log joint, K and L of each iteration",
  "draws.npz": "states that were kept",
  "similarity.npz": "how often two rows, or columns, are together",
  "tree.npz": "how clusters merge, two by two",
  "run.json": "parameters, versions, timings, digest",
  "heatmap.npz": "pictures of the matrix",
  "report.html": "the report: all of it on one page",
};

export function Downloads({ run }: { run: Run }) {
  const path = { run_id: run.id };
  const { data, problem, reload } = useResource(
    (signal) => get("/runs/{run_id}/artifacts", { path, signal }),
    [run.id],
  );
  return (
    <section aria-labelledby="files">
      <div class="bar">
        <h2 id="files">Files</h2>
        <a class="button" href={address("/runs/{run_id}/artifacts.zip", path)} download>
          All as zip
        </a>
      </div>
      {problem && <ProblemNote problem={problem} retry={reload} />}
      {!data && !problem && <Loading what="Reading the list of files" />}
      {data && (
        <ul class="files">
          {data.items.map((file) => {
            const href = address("/runs/{run_id}/artifacts/{name}", { ...path, name: file.name });
            // A report is for reading; the others are for other programs.
            const page = file.name.endsWith(".html");
            const table = file.name.endsWith(".csv");
            return (
              <li key={file.name}>
                <a href={href} {...(page ? { target: "_blank", rel: "noopener" } : { download: "" })}>
                  {file.name}
                </a>{" "}
                <small>
                  {format.bytes(file.bytes)}
                  {WHAT[file.name] && ` · ${WHAT[file.name]}`}
                </small>{" "}
                {table && (
                  <a
                    class="button quiet"
                    href={address("/runs/{run_id}/artifacts/{name}", { ...path, name: file.name }, { spreadsheet: 1 })}
                    aria-label={`${file.name} for a spreadsheet`}
                    title="A name that begins with = + - @ is written as text, so that a spreadsheet does not run it as a formula"
                    download
                  >
                    for a spreadsheet
                  </a>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
