/** The same again, with another seed by default: the same seed would give the same labels. */
import { useState } from "preact/hooks";

import { post } from "../../api/client";
import { wholeNumber } from "../../api/json";
import type { Run, RunChanges } from "../../api/types";
import { Link, navigate } from "../../router";
import { Confirm, titleOf } from "../../ui";
import { useKey } from "../new/upload";
import { seedAfter } from "./values";

export function CloneDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const [name, setName] = useState(run.name);
  const [seed, setSeed] = useState(String(seedAfter(run.options["seed"])));
  const [iterations, setIterations] = useState(String(run.options["iterations"] ?? 100));
  const keyOf = useKey();
  const clone = async (): Promise<void> => {
    const options = { seed: asked(seed, "seed", 0), iterations: asked(iterations, "iterations", 1) };
    const body = { name: name.trim() || undefined, options } as RunChanges;
    const made = await post("/runs/{run_id}/clone", { path: { run_id: run.id }, body, key: keyOf(body) });
    navigate(`/runs/${made.id}`);
  };
  return (
    <Confirm title={`Run ${titleOf(run)} again`} action="Start" onConfirm={clone} onClose={onClose}>
      <p class="note">
        The same dataset and parameters, except for what you change here.{" "}
        <Link href={`/runs/new?${new URLSearchParams({ from: run.id, name, seed, iterations })}`}>
          Change any other parameter
        </Link>
      </p>
      <label class="field">
        Name
        <input value={name} maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="field">
        Seed <small>The same seed gives the same labels.</small>
        <input inputMode="numeric" value={seed} onInput={(event) => setSeed(event.currentTarget.value)} />
      </label>
      <label class="field">
        Iterations
        <input type="number" min={1} value={iterations} onInput={(event) => setIterations(event.currentTarget.value)} />
      </label>
    </Confirm>
  );
}

/** A whole number as it was typed; an error for people otherwise. */
function asked(text: string, what: string, least: number): number | bigint {
  const value = wholeNumber(text);
  if (value === undefined || value < least) throw new Error(`${what}: give a whole number of at least ${least}`);
  return value;
}
