/** Pictures of a run, made by the server. */

import { get } from "../api/client";
import { decoded } from "./picture";
import type { Source } from "./usePictures";

export const fetched = (run: string): Source => ({
  key: run,
  picture: (query, signal) => get("/runs/{run_id}/heatmap", { path: { run_id: run }, query, signal }).then(decoded),
});
