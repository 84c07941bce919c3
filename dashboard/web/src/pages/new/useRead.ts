/** An uploaded file, read in another way: it is not sent again. */
import { useState } from "preact/hooks";

import { type Problem, put } from "../../api/client";
import type { Dataset } from "../../api/types";
import { asProblem } from "../../api/use";
import type { Reading } from "./reading";

export interface Reader {
  read: (reading: Reading) => Promise<void>;
  busy: boolean;
  /** Why the server did not take the last reading. */
  problem: Problem | undefined;
}

export function useRead(id: string, onRead: (dataset: Dataset) => void): Reader {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const read = async (reading: Reading): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      onRead(await put("/datasets/{dataset_id}/reading", { path: { dataset_id: id }, body: reading }));
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };
  return { read, busy, problem };
}
