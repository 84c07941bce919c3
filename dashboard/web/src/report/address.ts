/** What is chosen in a report stands in its address, behind the #, so that a link shows what its sender saw. */
import { useCallback, useState } from "preact/hooks";

export type State = Readonly<Record<string, string>>;

/** A state as an address has it; what is not said, or not known, is as it was initially. */
export function read(hash: string, initial: State): State {
  const found = new URLSearchParams(hash.replace(/^#/, ""));
  return Object.fromEntries(Object.entries(initial).map(([name, value]) => [name, found.get(name) ?? value]));
}

/** An address for a state: what differs from the initial one; "" if nothing does. */
export function written(state: State, initial: State): string {
  const changed = Object.entries(state).filter(([name, value]) => value !== initial[name]);
  return changed.length > 0 ? `#${new URLSearchParams(changed)}` : "";
}

/** The state, and a function that changes parts of it. */
export function useAddress(initial: State): [State, (changes: State) => void] {
  const [state, setState] = useState(() => read(location.hash, initial));
  const change = useCallback((changes: State) => {
    setState((now) => {
      const next = { ...now, ...changes };
      history.replaceState(null, "", written(next, initial) || location.pathname + location.search);
      return next;
    });
  }, []);
  return [state, change];
}
