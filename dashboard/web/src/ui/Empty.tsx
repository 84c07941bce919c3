import type { ComponentChildren } from "preact";

/** Nothing to show: why, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

/** Something is on its way; said to who cannot see it. */
export function Loading({ what = "Loading" }: { what?: string }) {
  return (
    <p class="loading" role="status">
      <span class="busy" aria-hidden="true" /> {what} …
    </p>
  );
}
