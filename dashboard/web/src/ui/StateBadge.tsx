import type { State } from "../api/types";

/** Not by colour alone. */
const SIGNS: Record<State, string> = {
  PENDING: "◌",
  RUNNING: "▸",
  PAUSED: "‖",
  SUCCEEDED: "✓",
  FAILED: "!",
  CANCELLED: "×",
};

const WORDS: Record<State, string> = {
  PENDING: "Pending",
  RUNNING: "Running",
  PAUSED: "Paused",
  SUCCEEDED: "Succeeded",
  FAILED: "Failed",
  CANCELLED: "Cancelled",
};

/** Stages that say more than that it runs; a stage that is a state comes with a message that is older, or newer. */
const TOLD: readonly string[] = ["reading", "sharding", "finishing"];

export const stateWord = (state: State): string => WORDS[state];

/**
 * The state of a run; `stage` says what is being done, where the state alone does not.
 *
 * Of a run that is pending it is what comes next: the run may wait for its turn.
 */
export function StateBadge({ state, stage }: { state: State; stage?: string }) {
  const more = stage !== undefined && TOLD.includes(stage) && state === "RUNNING" ? stage : null;
  return (
    <span class={`badge ${state.toLowerCase()}`}>
      <i aria-hidden="true">{SIGNS[state]}</i> {WORDS[state]}
      {more !== null && <small> {more}</small>}
    </span>
  );
}
