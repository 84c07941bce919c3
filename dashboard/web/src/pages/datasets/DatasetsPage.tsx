/** The tables that were uploaded: found by name, renamed, deleted, and run. */
import { useState } from "preact/hooks";

import { del, get, put } from "../../api/client";
import type { Dataset } from "../../api/types";
import { useResource } from "../../api/use";
import { Link, useQuery } from "../../router";
import { Button, Confirm, Empty, Field, Loading, PageHead, ProblemNote, SearchField, Time, format, useMayChange } from "../../ui";

/** Datasets that are asked for at a time. */
const PAGE = 100;

type Open = { readonly what: "rename" | "delete"; readonly dataset: Dataset };

export function DatasetsPage() {
  const [query, change] = useQuery();
  const search = query.get("search") ?? "";
  const [pages, setPages] = useState(1);
  const { data, problem, loading, reload } = useResource(
    async (signal) => {
      const items: Dataset[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < pages && (page === 0 || cursor !== null); page++) {
        const found: { items: Dataset[]; next: string | null } = await get("/datasets", {
          query: { search, limit: PAGE, cursor },
          signal,
        });
        items.push(...found.items);
        cursor = found.next;
      }
      return { items, more: cursor !== null };
    },
    [search, pages],
    { keep: true },
  );
  const mayChange = useMayChange();
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  return (
    <>
      <PageHead title="Datasets">
        {mayChange && (
          <Link href="/runs/new" class="button primary">
            Upload a table
          </Link>
        )}
      </PageHead>
      <SearchField of="datasets" value={search} onType={(text) => change({ search: text })} />
      {problem && <ProblemNote problem={problem} retry={reload} />}
      {data === undefined && !problem && <Loading what="Loading datasets" />}
      {data?.items.length === 0 && (
        <Empty title={search === "" ? "No datasets yet" : "No dataset matches"}>
          <p>{search === "" ? "A dataset is a table that was uploaded for a run." : "Search for less."}</p>
        </Empty>
      )}
      {data !== undefined && data.items.length > 0 && (
        <ul class="datasets">
          {data.items.map((dataset) => (
            <One key={dataset.id} dataset={dataset} mayChange={mayChange} onOpen={setOpen} />
          ))}
        </ul>
      )}
      {data?.more && (
        <p class="actions">
          <Button busy={loading} onClick={() => setPages(pages + 1)}>
            Show older datasets
          </Button>
        </p>
      )}
      {open?.what === "rename" && <Rename dataset={open.dataset} onDone={reload} onClose={close} />}
      {open?.what === "delete" && (
        <Confirm
          title={`Delete ${open.dataset.name}?`}
          action="Delete the dataset"
          danger
          onConfirm={async () => {
            await del("/datasets/{dataset_id}", { path: { dataset_id: open.dataset.id } });
            reload();
          }}
          onClose={close}
        >
          <p>The table goes from this server. A dataset that runs use stays until its runs are deleted.</p>
        </Confirm>
      )}
    </>
  );
}

function One({ dataset, mayChange, onOpen }: { dataset: Dataset; mayChange: boolean; onOpen: (open: Open) => void }) {
  const { id, name, state, bytes, created_at } = dataset;
  const shape = dataset.rows === null ? "" : `${format.shape(dataset.rows, dataset.columns, dataset.dimension)} · `;
  return (
    <li>
      <div>
        <strong>{name}</strong> <code>{id}</code>
        <br />
        <small>
          {shape}
          {format.bytes(bytes)} · uploaded <Time at={created_at} />
          {state === "FAILED" && " · cannot be read"}
        </small>
      </div>
      <div class="actions">
        <Link class="button quiet" href={`/runs?dataset=${id}`} aria-label={`Runs of ${name}`}>
          Runs
        </Link>
        {mayChange && (
          <>
            <Link class="button quiet" href={`/runs/new?dataset=${id}`} aria-label={`New run of ${name}`}>
              New run
            </Link>
            <Button kind="quiet" onClick={() => onOpen({ what: "rename", dataset })} aria-label={`Rename ${name}`}>
              Rename
            </Button>
            <Button kind="quiet" onClick={() => onOpen({ what: "delete", dataset })} aria-label={`Delete ${name}`}>
              Delete
            </Button>
          </>
        )}
      </div>
    </li>
  );
}

function Rename({ dataset, onDone, onClose }: { dataset: Dataset; onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState(dataset.name);
  const rename = async (): Promise<void> => {
    await put("/datasets/{dataset_id}/name", { path: { dataset_id: dataset.id }, body: { name: name.trim() } });
    onDone();
  };
  return (
    <Confirm title={`Rename ${dataset.name}`} action="Rename" onConfirm={rename} onClose={onClose}>
      <Field label="Name" hint="Keep the ending: it says what kind of file it is. Runs keep their names.">
        {(tie) => (
          <input {...tie} value={name} maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
        )}
      </Field>
    </Confirm>
  );
}
