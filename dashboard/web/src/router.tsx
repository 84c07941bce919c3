/**
 * Where the reader is: the path says which page, the query how it is looked at, so that a link shows the same.
 *
 * Paths here are paths of the pages, without the one below which the server is.
 */
import type { ComponentChildren, JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";

import { BASE, belowBase } from "./base";

const MOVED = "disnplbm:moved";

/** Go to an address of ours; `replace` leaves no step for the back button. */
export function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const target = BASE + to;
  if (target === location.pathname + location.search) return;
  const other = new URL(target, location.href).pathname !== location.pathname;
  history[replace ? "replaceState" : "pushState"](null, "", target);
  window.dispatchEvent(new Event(MOVED));
  if (other) window.scrollTo(0, 0);
}

/** Path and query now; the component is drawn again when they change. */
export function useLocation(): { path: string; search: string } {
  const read = () => ({ path: belowBase(location.pathname), search: location.search });
  const [now, setNow] = useState(read);
  useEffect(() => {
    const moved = () => setNow(read());
    window.addEventListener(MOVED, moved);
    window.addEventListener("popstate", moved);
    moved();
    return () => {
      window.removeEventListener(MOVED, moved);
      window.removeEventListener("popstate", moved);
    };
  }, []);
  return now;
}

/**
 * The query, and a function that changes parts of it: null or "" takes a part out.
 *
 * Changes replace the address by default; `push` makes a step for the back button.
 */
export function useQuery(): [
  URLSearchParams,
  (changes: Record<string, string | number | null>, options?: { push?: boolean }) => void,
] {
  const { search } = useLocation();
  const change = useCallback((changes: Record<string, string | number | null>, { push = false } = {}) => {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === "") query.delete(name);
      else query.set(name, String(value));
    }
    const text = query.toString();
    navigate(belowBase(location.pathname) + (text && `?${text}`), { replace: !push });
  }, []);
  return [new URLSearchParams(search), change];
}

type LinkProps = JSX.HTMLAttributes<HTMLAnchorElement> & { href: string; class?: string; children?: ComponentChildren };

/** A link to another page of ours, which is not loaded anew; with a modifier key it is an ordinary link. */
export function Link({ href, onClick, ...rest }: LinkProps) {
  const follow = (event: JSX.TargetedMouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(href);
  };
  return <a href={BASE + href} onClick={follow} {...rest} />;
}
