/** The same again, with another seed by default: the same seed would give the same labels. */
import { useState } from "preact/hooks";

import { post } from "../../api/client";
import type { Run } from "../../api/types";
import { navigate } from "../../router";
import { Confirm } from "../../ui";
import { useKey } from "../new/upload";

const MOST_SEED = Number.MAX_SAFE_INTEGER;

const whole = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isFinite(value) ? value : otherwise;

export function CloneDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const [name, setName] = useState(run.name);
  const [seed, setSeed] = useState(String(whole(run.options["seed"], 0) + 1));
  const [iterations, setIterations] = useState(String(whole(run.options["iterations"], 100)));
  const keyOf = useKey();
  const clone = async (): Promise<void> => {
    const options = { seed: asked(seed, "seed", 0), iterations: asked(iterations, "iterations", 1) };
    const body = { name: name.trim() || undefined, options };
    const made = await post("/runs/{run_id}/clone", { path: { run_id: run.id }, body, key: keyOf(body) });
    navigate(`/runs/${made.id}`);
  };
  return (
    <Confirm title={`Run ${run.name} again`} action="Start" onConfirm={clone} onClose={onClose}>
      <p class="note">On the same dataset with the same parameters, but for what is changed here.</p>
      <label class="field">
        Name
        <input value={name} maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="field">
        Seed <small>The same seed gives the same labels.</small>
        <input
          type="number"
          min={0}
          max={MOST_SEED}
          value={seed}
          onInput={(event) => setSeed(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        Iterations
        <input type="number" min={1} value={iterations} onInput={(event) => setIterations(event.currentTarget.value)} />
      </label>
    </Confirm>
  );
}

/** A whole number as it was typed; an error for people otherwise. */
function asked(text: string, what: string, least: number): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < least || value > MOST_SEED) {
    throw new Error(`${what}: give a whole number of at least ${least}`);
  }
  return value;
}
