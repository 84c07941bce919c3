/** Other finished runs of the same dataset, to compare with. */
import { useState } from "preact/hooks";

import { get } from "../../api/client";
import type { Run } from "../../api/types";
import { useResource } from "../../api/use";
import { Link, navigate } from "../../router";
import { Button, ProblemNote, Time, format, titleOf } from "../../ui";
import { MOST_RUNS, compareAddress } from "../compare/address";

export function CompareWith({ run }: { run: Run }) {
  const [picked, setPicked] = useState<readonly string[]>([]);
  const { data, problem, reload } = useResource(
    (signal) => get("/runs", { query: { dataset: run.dataset.id, state: "SUCCEEDED", limit: 50 }, signal }),
    [run.id],
  );
  const others = (data?.items ?? []).filter((other) => other.id !== run.id);
  const pick = (id: string, on: boolean): void =>
    setPicked((now) => (on ? [...now, id] : now.filter((each) => each !== id)));
  return (
    <section aria-labelledby="compare-with">
      <div class="bar">
        <h2 id="compare-with">Compare</h2>
      </div>
      {problem && <ProblemNote problem={problem} retry={reload} />}
      {data && others.length === 0 && (
        <p class="note">
          There is no other finished run of {run.dataset.name}. Clone this one with another seed to see how far the two
          agree.
        </p>
      )}
      {others.length > 0 && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            navigate(compareAddress([run.id, ...picked]));
          }}
        >
          <ul class="others">
            {others.map((other) => (
              <li key={other.id}>
                <label class="tick">
                  <input
                    type="checkbox"
                    checked={picked.includes(other.id)}
                    disabled={!picked.includes(other.id) && picked.length >= MOST_RUNS - 1}
                    onChange={(event) => pick(other.id, event.currentTarget.checked)}
                  />
                  <span>
                    {titleOf(other)} <code>{other.id}</code>
                  </span>
                </label>{" "}
                <small>
                  {format.shape(other.row_clusters, other.column_clusters)} clusters, log joint{" "}
                  {format.logJoint(other.log_joint)}, <Time at={other.created_at} /> ·{" "}
                  <Link href={`/runs/${other.id}`}>open</Link>
                </small>
              </li>
            ))}
          </ul>
          <Button type="submit" disabled={picked.length === 0}>
            Compare {picked.length > 0 && format.plural(picked.length + 1, "run")}
          </Button>
        </form>
      )}
    </section>
  );
}
