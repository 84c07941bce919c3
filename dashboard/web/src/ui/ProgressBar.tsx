import { count } from "./format";

interface Props {
  done: number;
  total: number;
  /** What the bar is of, for who cannot see it. */
  label: string;
  /** How the numbers are written beside it; "12 of 100" by default, null for none. */
  text?: string | null;
}

export function ProgressBar({ done, total, label, text }: Props) {
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  const said = text === undefined ? `${count(done)} of ${count(total)}` : text;
  return (
    <span class="progress">
      <progress aria-label={label} value={share} max={1} />
      {said !== null && <span class="progress-text">{said}</span>}
    </span>
  );
}
