import type { ComponentChildren } from "preact";

import type { Session } from "../api/types";
import { Link, useLocation } from "../router";
import { Away } from "./Away";
import { Button } from "./Button";
import { mayChange } from "./session";
import { useTheme } from "./theme";

const PAGES: readonly [path: string, name: string][] = [
  ["/runs", "Runs"],
  ["/runs/new", "New run"],
  ["/datasets", "Datasets"],
  ["/system", "System"],
];

interface Props {
  session?: Session;
  onSignOut?: () => void;
  children: ComponentChildren;
}

/** What is around every page. */
export function Shell({ session, onSignOut, children }: Props) {
  const { path } = useLocation();
  const [theme, next] = useTheme();
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Link class="brand" href="/runs">
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M1 1h6v8H1z" />
            <path d="M9 1h6v8H9zM1 11h6v4H1z" opacity=".45" />
            <path d="M9 11h6v4H9z" opacity=".75" />
          </svg>
          disnplbm
        </Link>
        {session && (
          <nav aria-label="Pages">
            {PAGES.filter(([to]) => to !== "/runs/new" || mayChange(session)).map(([to, name]) => (
              <Link key={to} href={to} aria-current={current(path, to) ? "page" : undefined}>
                {name}
              </Link>
            ))}
          </nav>
        )}
        <div class="top-end">
          {session?.token_needed && (
            <span>
              {session.actor} <small>{session.scope}</small>
            </span>
          )}
          {session?.token_needed && onSignOut && (
            <Button kind="quiet" onClick={onSignOut}>
              Sign out
            </Button>
          )}
          <Button kind="quiet" onClick={next} aria-label={`Theme: ${theme}`}>
            <span aria-hidden="true">◐</span> {theme}
          </Button>
        </div>
      </header>
      <Away />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

const OWN = ["/runs/new", "/datasets", "/system"];

const current = (path: string, to: string): boolean => path === to || (to === "/runs" && !OWN.includes(path));

/** Head of a page: its title, which is also the window's, and what can be done. */
export function PageHead({ title, children }: { title: string; children?: ComponentChildren }) {
  document.title = `${title} · disnplbm`;
  return (
    <div class="head">
      <h1>{title}</h1>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}
