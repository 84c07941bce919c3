/** Whether the server answers: every call tells, and whoever shows something of it is told. */
import { useEffect, useState } from "preact/hooks";

import { BASE } from "../base";

/** Milliseconds between two questions to a server that was away. */
const AGAIN = 3000;

type Listener = (since: number | undefined) => void;

const listeners = new Set<Listener>();
let away: number | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Tell that the server answered, or that it did not. */
export function tellReach(answered: boolean): void {
  if (answered === (away === undefined)) return;
  away = answered ? undefined : Date.now();
  globalThis.clearTimeout(timer);
  if (!answered) timer = globalThis.setTimeout(() => void ask(), AGAIN);
  for (const listener of [...listeners]) listener(away);
}

/** Ask whether the server answers, when there is a doubt; it is asked until it does. */
export async function ask(): Promise<void> {
  const answered = await fetch(`${BASE}/api/v1/health`, { cache: "no-store" }).then(
    () => true,
    () => false,
  );
  globalThis.clearTimeout(timer);
  if (!answered) timer = globalThis.setTimeout(() => void ask(), AGAIN);
  tellReach(answered);
}

/** Have a function called whenever the server goes away (since when) and comes back (undefined); ends when called. */
export function onReach(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** When the server went away, in milliseconds; undefined while it answers. */
export function useAway(): number | undefined {
  const [since, setSince] = useState(away);
  useEffect(() => {
    setSince(away);
    return onReach(setSince);
  }, []);
  return since;
}
