/** Hooks around calls of the API. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import { Problem } from "./client";
import { onReach } from "./reach";

/** An error as a Problem, whatever it was. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(0, "internal", "A fault of this page", error instanceof Error ? error.message : String(error));
}

export interface Resource<T> {
  /** What came last; stays while it is asked for anew. */
  data: T | undefined;
  /** Why the last call failed; undefined once one succeeds. */
  problem: Problem | undefined;
  loading: boolean;
  reload: () => void;
  /** Change what is shown, until it is asked for anew. */
  mutate: (change: (now: T) => T) => void;
}

/**
 * Ask for something, and again whenever one of the values in `on` changes.
 *
 * @param keep Show the old until the new is there, though it is of other values: for lists that are filtered.
 */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  on: readonly unknown[],
  { keep = false }: { keep?: boolean } = {},
): Resource<T> {
  const [data, setData] = useState<T>();
  const [problem, setProblem] = useState<Problem>();
  const [loading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const asked = useRef(load);
  asked.current = load;
  const key = JSON.stringify(on);
  const shown = useRef(key);
  useEffect(() => {
    const control = new AbortController();
    if (shown.current !== key) {
      shown.current = key;
      if (!keep) setData(undefined);
      setProblem(undefined);
    }
    setLoading(true);
    asked
      .current(control.signal)
      .then((found) => {
        if (control.signal.aborted) return;
        setData(() => found);
        setProblem(undefined);
        setLoading(false);
      })
      .catch((error: unknown) => {
        if (control.signal.aborted) return;
        setProblem(asProblem(error));
        setLoading(false);
      });
    return () => control.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((now) => now + 1), []);
  // What could not be had while the server was away is asked for once it is back.
  useEffect(() => {
    if (problem?.kind !== "away") return undefined;
    return onReach((since) => since === undefined && reload());
  }, [problem]);
  const mutate = useCallback((change: (now: T) => T) => {
    setData((now) => (now === undefined ? now : change(now)));
  }, []);
  // What is shown of one thing must not be taken for another, not even until the effect has run.
  return { data: keep || shown.current === key ? data : undefined, problem, loading, reload, mutate };
}
