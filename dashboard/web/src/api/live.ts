/** What happens, as it happens: server-sent events, or now and then a question where there is no stream. */
import { useEffect, useRef, useState } from "preact/hooks";

import { address, get } from "./client";
import { parse } from "./json";
import { ask } from "./reach";
import type { Event, Progress, Run } from "./types";

/** Milliseconds between two questions, and before a stream is tried again. */
const POLL = 3000;
const RETRY = 30000;

export type LiveState = "connecting" | "live" | "polling";

export interface Listeners {
  /** Something happened; each event comes once, in order. */
  event?: (event: Event) => void;
  /** A run has come further. */
  progress?: (progress: Progress) => void;
  /** Something may have been missed: ask anew for what is shown. */
  gap?: () => void;
  state?: (state: LiveState) => void;
}

/**
 * Listen to one run, or to all (null), until the function that is returned is called.
 *
 * @param after Number of the last event that is known; without one, only what happens from now on is told. The browser
 *   itself sends Last-Event-ID when it connects anew.
 */
export function listen(run: string | null, listeners: Listeners, after?: number): () => void {
  let last = after;
  let stream: EventSource | null = null;
  let timer: number | undefined;
  let opened = false;
  let ended = false;
  let streamAt = 0;

  const tell = (event: Event): void => {
    if (last !== undefined && event.id <= last) return;
    last = event.id;
    listeners.event?.(event);
  };

  const open = (): void => {
    const path = run === null ? "/events/stream" : "/runs/{run_id}/events/stream";
    listeners.state?.("connecting");
    stream = new EventSource(address(path, { run_id: run }, { after: last }));
    stream.onopen = () => {
      listeners.state?.("live");
      if (opened) listeners.gap?.();
      opened = true;
    };
    stream.addEventListener("event", (message) => tell(parse(message.data as string) as Event));
    stream.addEventListener("progress", (message) =>
      listeners.progress?.(parse(message.data as string) as Progress),
    );
    stream.onerror = () => {
      if (ended || stream === null) return;
      if (stream.readyState === EventSource.CLOSED) {
        // Refused, and not only dropped: the browser does not try again by itself.
        close();
        streamAt = Date.now() + RETRY;
        void poll();
      } else {
        listeners.state?.("connecting");
        // A stream may end for other reasons than that the server is away.
        void ask();
      }
    };
  };

  const close = (): void => {
    stream?.close();
    stream = null;
    window.clearTimeout(timer);
  };

  const poll = async (): Promise<void> => {
    if (ended || document.hidden) return;
    if (Date.now() >= streamAt) {
      opened = true;
      open();
      return;
    }
    try {
      if (run !== null) {
        await events(run);
        listeners.progress?.(progressOf(await get("/runs/{run_id}", { path: { run_id: run } })));
      } else {
        if (last !== undefined) await events(null);
        const found = await get("/runs", { query: { state: "PENDING,RUNNING", limit: 200 } });
        for (const each of found.items) listeners.progress?.(progressOf(each));
        if (last === undefined) listeners.gap?.();
      }
      listeners.state?.("polling");
    } catch {
      listeners.state?.("connecting");
    }
    if (!ended && stream === null) timer = window.setTimeout(() => void poll(), POLL);
  };

  const events = async (of: string | null): Promise<void> => {
    const query = { after: last ?? 0 };
    const found =
      of === null ? await get("/events", { query }) : await get("/runs/{run_id}/events", { path: { run_id: of }, query });
    if (!ended) found.items.forEach(tell);
  };

  // A browser holds few connections to a server: pages that nobody looks at give theirs back.
  const seen = (): void => {
    close();
    if (!document.hidden) open();
  };
  document.addEventListener("visibilitychange", seen);
  if (!document.hidden) open();

  return () => {
    ended = true;
    document.removeEventListener("visibilitychange", seen);
    close();
  };
}

/** What a stream would say of a run. */
export function progressOf(run: Run): Progress {
  const { id, state, stage, progress, row_clusters, column_clusters, log_joint } = run;
  return { run: id, state, stage, progress, row_clusters, column_clusters, log_joint };
}

/** Listen while a component is shown; the listeners may change from one rendering to the next. */
export function useLive(run: string | null, listeners: Listeners, after?: number): LiveState {
  const [state, setState] = useState<LiveState>("connecting");
  const now = useRef(listeners);
  now.current = listeners;
  useEffect(
    () =>
      listen(
        run,
        {
          event: (event) => now.current.event?.(event),
          progress: (progress) => now.current.progress?.(progress),
          gap: () => now.current.gap?.(),
          state: (next) => {
            setState(next);
            now.current.state?.(next);
          },
        },
        after,
      ),
    [run],
  );
  return state;
}
