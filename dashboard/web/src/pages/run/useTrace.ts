/** The traces of a run, asked for in pieces as it goes on. */
import { useEffect, useRef, useState } from "preact/hooks";

import { type Problem, get } from "../../api/client";
import type { Run, StreamTrace } from "../../api/types";
import { asProblem } from "../../api/use";
import { expectedStreams, knownUpTo, merged } from "./trace";

/** Milliseconds between two questions at least. */
const APART = 700;

export interface Traces {
  streams: readonly StreamTrace[] | undefined;
  problem: Problem | undefined;
}

/** @param turn When it changes all is asked for anew. */
export function useTrace(run: Run, turn: number): Traces {
  const [streams, setStreams] = useState<readonly StreamTrace[]>();
  const [problem, setProblem] = useState<Problem>();
  const known = useRef<readonly StreamTrace[]>([]);
  const asked = useRef(0);
  const latest = useRef(turn);
  useEffect(() => {
    const control = new AbortController();
    const wait = Math.max(0, asked.current + APART - Date.now());
    const timer = window.setTimeout(() => {
      asked.current = Date.now();
      if (latest.current !== turn) known.current = [];
      const after = known.current.length > 0 ? knownUpTo(known.current, expectedStreams(run.options)) : 0;
      get("/runs/{run_id}/trace", { path: { run_id: run.id }, query: { after }, signal: control.signal })
        .then((answer) => {
          if (control.signal.aborted) return;
          latest.current = turn;
          known.current = merged(after === 0 ? [] : known.current, answer.streams, after);
          setStreams(known.current);
          setProblem(undefined);
        })
        .catch((error: unknown) => {
          if (!control.signal.aborted) setProblem(asProblem(error));
        });
    }, wait);
    return () => {
      window.clearTimeout(timer);
      control.abort();
    };
  }, [run.id, run.progress.done, run.state, turn]);
  return { streams, problem };
}
