/** Rows and columns of a finished run, with their clusters. */
import { artifact } from "../../api/client";
import type { Run } from "../../api/types";
import { useResource } from "../../api/use";
import { type Items, itemsOf } from "./members";

/** Items of an axis up to which the file with their labels is read unasked. */
const FEW = 50_000;

/** Undefined until they are known, or as long as they are many and nobody wants them; null where they could not be had. */
export function useItems(run: Run, axis: "rows" | "columns", wanted: boolean): Items | null | undefined {
  const read = run.state === "SUCCEEDED" && (wanted || (run.dataset[axis] ?? 0) <= FEW);
  const { data, problem } = useResource(
    (signal) =>
      read
        ? artifact(run.id, `${axis}.csv`, signal)
            .then((found) => found.text())
            .then(itemsOf)
        : Promise.resolve(undefined),
    [run.id, axis, read],
  );
  return data ?? (problem ? null : undefined);
}
