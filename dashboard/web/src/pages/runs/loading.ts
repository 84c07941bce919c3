/** The runs of the list, kept up to date. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { get } from "../../api/client";
import { type LiveState, useLive } from "../../api/live";
import type { Progress, Run } from "../../api/types";
import { type Resource, useResource } from "../../api/use";

const PAGE = 100;

/** Milliseconds in which several events make one question. */
const SOON = 300;

/** Milliseconds for which runs that come further stay where they are in a list by progress. */
const LATER = 3000;

export interface Filter {
  state: string;
  search: string;
  dataset: string;
}

interface Found {
  runs: Run[];
  more: boolean;
  /** Whether they are those that a filter let through; the filter may be another one by now. */
  filtered: boolean;
}

export const isFilter = (filter: Filter): boolean =>
  filter.state !== "" || filter.search !== "" || filter.dataset !== "";

export interface RunList {
  found: Resource<Found>;
  live: LiveState;
  /** Have so many more of them. */
  more: () => void;
}

/** Runs that a filter lets through, in an order; they change as they come further. */
export function useRuns(filter: Filter, sort: string): RunList {
  const [pages, setPages] = useState(1);
  const on = [filter.state, filter.search, filter.dataset, sort, pages];
  const found = useResource(
    async (signal): Promise<Found> => {
      const runs: Run[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < pages && (page === 0 || cursor !== null); page++) {
        const answer: { items: Run[]; next: string | null } = await get("/runs", {
          query: {
            state: filter.state || null,
            search: filter.search,
            dataset: filter.dataset || null,
            sort,
            limit: PAGE,
            cursor,
          },
          signal,
        });
        runs.push(...answer.items);
        cursor = answer.next;
      }
      return { runs, more: cursor !== null, filtered: isFilter(filter) };
    },
    on,
    { keep: true },
  );
  const soon = useDelayed(found.reload, SOON);
  const later = useDelayed(found.reload, LATER);
  const live = useLive(null, {
    event: (event) => {
      if (event.run !== null) soon();
    },
    progress: (progress) => {
      const shown = found.data?.runs.find((run) => run.id === progress.run);
      if (shown === undefined) return;
      // What may be done with it is another thing then, too.
      if (shown.state !== progress.state) soon();
      if (sort.endsWith("progress")) later();
      found.mutate((now) => ({ ...now, runs: now.runs.map((run) => advanced(run, progress)) }));
    },
    gap: found.reload,
  });
  return { found, live, more: () => setPages((now) => now + 1) };
}

function advanced(run: Run, progress: Progress): Run {
  if (run.id !== progress.run) return run;
  const { run: _, ...rest } = progress;
  return { ...run, ...rest };
}

/** A function that does something a moment after it is first called. */
function useDelayed(act: () => void, milliseconds: number): () => void {
  const timer = useRef<number>();
  const now = useRef(act);
  now.current = act;
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return useMemo(
    () => () => {
      if (timer.current !== undefined) return;
      timer.current = window.setTimeout(() => {
        timer.current = undefined;
        now.current();
      }, milliseconds);
    },
    [milliseconds],
  );
}
