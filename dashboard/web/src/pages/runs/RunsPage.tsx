import { useState } from "preact/hooks";

import { Link, useQuery } from "../../router";
import { Button, Empty, Loading, PageHead, ProblemNote, useMayChange } from "../../ui";
import { Bulk } from "./Bulk";
import { Filters } from "./Filters";
import { RunsTable } from "./RunsTable";
import { isFilter, useRuns } from "./loading";
import "./runs.css";
import { DEFAULT_SORT, sortOf } from "./sorting";

const LIVE_WORDS = { connecting: "Connecting …", live: "Live", polling: "Live, every few seconds" };

export function RunsPage() {
  const [query, change] = useQuery();
  const filter = {
    state: query.get("state") ?? "",
    search: query.get("search") ?? "",
    dataset: query.get("dataset") ?? "",
  };
  const sort = sortOf(query.get("sort"));
  const { found, live, more } = useRuns(filter, sort);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const mayChange = useMayChange();
  const { data, problem } = found;
  const runs = data?.runs ?? [];
  const selected = runs.filter((run) => chosen.has(run.id));
  // Until the runs without a filter are here, nothing is known of whether there are any.
  const filtered = isFilter(filter) || data?.filtered === true;
  return (
    <>
      <PageHead title="Runs">
        <span class={`live ${live}`} role="status">
          {LIVE_WORDS[live]}
        </span>
        {mayChange && (
          <Link href="/runs/new" class="button primary">
            New run
          </Link>
        )}
      </PageHead>
      <Filters
        filter={filter}
        onChange={(changes) => change({ ...changes })}
        hidden={!filtered && runs.length === 0}
      />
      {filter.dataset !== "" && (
        <p class="note">
          Of dataset {filter.dataset} only. <Link href="/runs">Show all</Link>
        </p>
      )}
      {problem && <ProblemNote problem={problem} retry={found.reload} />}
      {data === undefined && !problem && <Loading what="Loading runs" />}
      {data !== undefined && runs.length === 0 && (filtered ? <NothingMatches /> : <NothingYet mayChange={mayChange} />)}
      {runs.length > 0 && (
        <>
          {selected.length > 0 && (
            <Bulk
              chosen={selected}
              onClear={() => setChosen(new Set())}
              onDone={() => {
                setChosen(new Set());
                found.reload();
              }}
            />
          )}
          <RunsTable
            runs={runs}
            sort={sort}
            onSort={(next) => change({ sort: next === DEFAULT_SORT ? null : next })}
            chosen={chosen}
            onChoose={setChosen}
          />
          {data?.more && (
            <p class="more">
              <Button onClick={more} busy={found.loading}>
                Show {sort === DEFAULT_SORT ? "older" : "more"} runs
              </Button>
            </p>
          )}
        </>
      )}
    </>
  );
}

function NothingYet({ mayChange }: { mayChange: boolean }) {
  return (
    <Empty title="No runs yet">
      <p>
        A run finds the row and column clusters of a table of numbers. Give it a CSV, Parquet, NumPy or AnnData file.
        The file is checked first.
      </p>
      {mayChange && (
        <Link href="/runs/new" class="button primary">
          Start the first run
        </Link>
      )}
    </Empty>
  );
}

function NothingMatches() {
  return (
    <Empty title="No run matches">
      <p>Search for less, or show runs of all states.</p>
      <Link href="/runs" class="button">
        Show all runs
      </Link>
    </Empty>
  );
}
