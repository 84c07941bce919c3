/** Where the clusters of a finished run begin, and how colours are spread. */
import { get } from "../../api/client";
import type { Run } from "../../api/types";
import { useResource } from "../../api/use";
import { scaleFor } from "../../heatmap/picture";
import type { Scale } from "../../heatmap/scale";

export interface Found {
  /** Positions in the reordered matrix where clusters begin, and where the last one ends. */
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  /** Label of each of them. */
  readonly rowLabels: readonly number[];
  readonly columnLabels: readonly number[];
  /** How colours are spread over the cells. */
  readonly scale: Scale;
  /** Type of the cells. */
  readonly cells: string;
  /** What the categories are called; none of other cells. */
  readonly categories: readonly string[];
}

/** Undefined until it is known, and for a run that is not done; null where it could not be had. */
export function useFound(run: Run): Found | null | undefined {
  const done = run.state === "SUCCEEDED";
  const { data, problem } = useResource(
    // One pixel: the rest of the answer is what is wanted.
    (signal) =>
      done
        ? get("/runs/{run_id}/heatmap", { path: { run_id: run.id }, query: { height: 1, width: 1 }, signal })
        : Promise.resolve(undefined),
    [run.id, done],
  );
  if (!data) return problem ? null : undefined;
  const { row_clusters: rows, column_clusters: columns, row_labels: rowLabels, column_labels: columnLabels, cells } = data;
  return { rows, columns, rowLabels, columnLabels, scale: scaleFor(data), cells, categories: data.categories ?? [] };
}
