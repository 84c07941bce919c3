import { useEffect, useState } from "preact/hooks";

import { NONE, duration } from "./format";

const local = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

const utc = (at: Date): string => `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** A moment as the reader's clock has it; hovering says it in UTC. */
export function Time({ at }: { at: string | null | undefined }) {
  const moment = parsed(at);
  if (moment === null) return <span>{NONE}</span>;
  return (
    <time dateTime={moment.toISOString()} title={utc(moment)}>
      {local.format(moment)}
    </time>
  );
}

/** How long ago a moment was, kept up to date; hovering says when. */
export function Ago({ at }: { at: string | null | undefined }) {
  const moment = parsed(at);
  const now = useNow();
  if (moment === null) return <span>{NONE}</span>;
  const seconds = Math.max(0, (now - moment.getTime()) / 1000);
  return (
    <time dateTime={moment.toISOString()} title={utc(moment)}>
      {seconds < 2 ? "just now" : `${coarse(seconds)} ago`}
    </time>
  );
}

const coarse = (seconds: number): string => {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
};

/** Time that passes since a moment. */
export function Elapsed({ since, until }: { since: string | null; until: string | null }) {
  const [from, to] = [parsed(since), parsed(until)];
  const now = useNow(to === null && from !== null);
  return <span>{from === null ? NONE : duration(Math.max(0, ((to?.getTime() ?? now) - from.getTime()) / 1000))}</span>;
}

/** Milliseconds now, anew every second while it is wanted and the page is seen. */
export function useNow(wanted = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!wanted) return undefined;
    setNow(Date.now());
    const timer = window.setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, 1000);
    return () => window.clearInterval(timer);
  }, [wanted]);
  return now;
}

function parsed(at: string | null | undefined): Date | null {
  if (!at) return null;
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? null : moment;
}
