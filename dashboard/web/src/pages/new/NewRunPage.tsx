import { useState } from "preact/hooks";

import { get } from "../../api/client";
import { useResource } from "../../api/use";
import { useQuery } from "../../router";
import { Empty, Loading, PageHead, ProblemNote, useMayChange } from "../../ui";
import { DatasetStep } from "./DatasetStep";
import { FileStep } from "./FileStep";
import { SourceStep } from "./SourceStep";
import "./new.css";

/** A run, in steps: a file or a dataset, what is in it, what is to be done with it. The address says how far it is. */
export function NewRunPage() {
  const [query, change] = useQuery();
  const [file, setFile] = useState<File>();
  /** The dataset that the file became. */
  const [sent, setSent] = useState<string>();
  const [dataset, from] = [query.get("dataset"), query.get("from")];
  const like = useResource(
    (signal) => (from === null ? Promise.resolve(undefined) : get("/runs/{run_id}", { path: { run_id: from }, signal })),
    [from],
  );
  const id = dataset ?? like.data?.dataset.id;
  if (!useMayChange()) {
    return (
      <>
        <PageHead title="New run" />
        <Empty title="Your token may look at runs, and start none">
          <p>Ask for a token of scope run: <code>disnplbm token create</code> makes one.</p>
        </Empty>
      </>
    );
  }
  return (
    <>
      <PageHead title={from === null ? "New run" : "New run like another"} />
      {like.problem ? (
        <ProblemNote problem={like.problem} retry={like.reload} />
      ) : from !== null && like.data === undefined ? (
        <Loading what="Loading the run" />
      ) : id !== undefined ? (
        <DatasetStep key={id} id={id} like={dataset === null ? like.data : undefined} file={sent === id ? file : undefined} />
      ) : file !== undefined ? (
        <FileStep
          key={`${file.name} ${file.size} ${file.lastModified}`}
          file={file}
          onUploaded={(made) => {
            setSent(made.id);
            change({ dataset: made.id }, { push: true });
          }}
          onLeave={() => setFile(undefined)}
        />
      ) : (
        <SourceStep onFile={setFile} />
      )}
    </>
  );
}
