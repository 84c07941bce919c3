/** What was asked for. */
import type { Run } from "../../api/types";
import { shown } from "./values";

export function Parameters({ run }: { run: Run }) {
  const asked: [string, unknown][] = [
    ["shards", run.shards ?? run.shards_wanted],
    ["axis", run.axis],
    ["transform", run.transform],
    ...Object.entries(run.options),
  ];
  return (
    <section aria-labelledby="parameters">
      <div class="bar">
        <h2 id="parameters">Parameters</h2>
      </div>
      <dl class="parameters">
        {asked.map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll("_", " ")}</dt>
            <dd>{shown(value, name)}</dd>
          </div>
        ))}
        <div>
          <dt>run</dt>
          <dd>
            <code>{run.id}</code>
          </dd>
        </div>
        <div>
          <dt>dataset</dt>
          <dd>
            <code>{run.dataset.id}</code>
          </dd>
        </div>
      </dl>
    </section>
  );
}
