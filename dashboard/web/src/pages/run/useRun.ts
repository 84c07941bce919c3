/** A run as it stands, kept up to date. */
import { useRef, useState } from "preact/hooks";

import { get } from "../../api/client";
import { type LiveState, useLive } from "../../api/live";
import type { Event, Run } from "../../api/types";
import { type Resource, useResource } from "../../api/use";

export interface LiveRun extends Resource<Run> {
  live: LiveState;
  /** When this page last saw it come further, in milliseconds; undefined if not yet. */
  seen: number | undefined;
  /** What happened since the page was opened. */
  events: readonly Event[];
  /** Grows when something may have been missed, or was taken back. */
  turn: number;
}

export function useRun(id: string): LiveRun {
  const resource = useResource((signal) => get("/runs/{run_id}", { path: { run_id: id }, signal }), [id]);
  const [seen, setSeen] = useState<number>();
  const [events, setEvents] = useState<readonly Event[]>([]);
  const [turn, setTurn] = useState(0);
  const connected = useRef(false);
  const live = useLive(id, {
    progress: (message) => {
      setSeen(Date.now());
      resource.mutate((run) => ({
        ...run,
        stage: message.stage,
        progress: message.progress,
        row_clusters: message.row_clusters ?? run.row_clusters,
        column_clusters: message.column_clusters ?? run.column_clusters,
        log_joint: message.log_joint ?? run.log_joint,
      }));
      // What can be done with it, and why it failed, is not in the message.
      if (message.state !== resource.data?.state) resource.reload();
    },
    event: (event) => {
      setSeen(Date.now());
      setEvents((now) => [...now, event]);
      if (event.kind === "rewound") setTurn((now) => now + 1);
      resource.reload();
    },
    gap: () => {
      resource.reload();
      setTurn((now) => now + 1);
    },
    state: (state) => {
      // Between the first answer and the first word of the stream something may have happened.
      if (state === "live" && !connected.current) resource.reload();
      connected.current = state === "live";
    },
  });
  return { ...resource, live, seen, events, turn };
}
