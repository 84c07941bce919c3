/** The first lines of a file that is not uploaded yet, and how the server reads them. */
import { useEffect, useState } from "preact/hooks";

import { type Problem, post } from "../../api/client";
import type { components } from "../../api/schema";
import { asProblem } from "../../api/use";
import { base64 } from "./base64";
import { type Reading, kindOf } from "./reading";

export type Preview = components["schemas"]["PreviewAnswer"];

/** Bytes that the server is sent at first. It says if it needs more. */
const FIRST_BYTES = 2 ** 18;

export interface Seen {
  /** What came last; stays while the file is looked at in another way. */
  preview: Preview | undefined;
  /** Why the server could not look at it. */
  problem: Problem | undefined;
  /** Whether an answer is under way, and there is none yet. */
  loading: boolean;
  retry: () => void;
}

/** What the server says of the first lines of a file of text; nothing of other files. */
export function usePreview(file: File | undefined, reading: Reading): Seen {
  const [state, setState] = useState<Pick<Seen, "preview" | "problem">>({ preview: undefined, problem: undefined });
  const [turn, setTurn] = useState(0);
  const looked = file !== undefined && file.size > 0 && kindOf(file.name) === "text";
  useEffect(() => {
    if (!looked) return undefined;
    const control = new AbortController();
    look(file, reading, control.signal)
      .then((preview) => {
        if (!control.signal.aborted) setState({ preview, problem: undefined });
      })
      .catch((error: unknown) => {
        if (!control.signal.aborted) setState((now) => ({ ...now, problem: asProblem(error) }));
      });
    return () => control.abort();
  }, [file, JSON.stringify(reading), turn]);
  const loading = looked && state.preview === undefined && state.problem === undefined;
  return { ...state, loading, retry: () => setTurn((now) => now + 1) };
}

async function look(file: File, reading: Reading, signal: AbortSignal): Promise<Preview> {
  for (let bytes = FIRST_BYTES; ; ) {
    const beginning = file.slice(0, bytes);
    const body = { ...reading, name: file.name, head: await base64(beginning), whole: bytes >= file.size };
    const found = await post("/previews", { body, signal });
    if (found.next_bytes <= bytes) return found;
    bytes = found.next_bytes;
  }
}
