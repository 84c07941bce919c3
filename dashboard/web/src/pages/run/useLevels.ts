/** The trees of a finished run. */
import { get } from "../../api/client";
import type { Run } from "../../api/types";
import { useResource } from "../../api/use";
import type { Levels } from "../../levels/level";

/** Undefined until they are known; null where there are none, or they could not be had: the clusters of the run do. */
export function useLevels(run: Run): Levels | null | undefined {
  const done = run.state === "SUCCEEDED";
  const { data, problem } = useResource(
    (signal) =>
      done ? get("/runs/{run_id}/levels", { path: { run_id: run.id }, signal }) : Promise.resolve(undefined),
    [run.id, done],
  );
  return data ? data.levels : problem && null;
}
