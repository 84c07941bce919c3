/** What is at the top of a report. */
import type { ComponentChildren } from "preact";

import { Button } from "../ui/Button";
import { useTheme } from "../ui/theme";

interface Props {
  readonly kind: string;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Head({ kind, title, children }: Props) {
  const [theme, next] = useTheme();
  return (
    <header class="report-head">
      <div class="bar">
        <p class="brand">
          disnplbm <small>{kind}</small>
        </p>
        <Button kind="quiet" id="theme" onClick={next} aria-label={`Theme: ${theme}`}>
          <span aria-hidden="true">◐</span> {theme}
        </Button>
      </div>
      <h1>{title}</h1>
      {children}
    </header>
  );
}
