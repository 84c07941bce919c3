/** What was asked for. */
import type { Run } from "../../api/types";
import { FIELDS, applies } from "../new/parameters";
import { shown } from "./values";

interface Props {
  run: Run;
  /** Type of the cells, once it is known. */
  cells: string | undefined;
}

export function Parameters({ run, cells }: Props) {
  const asked: [string, unknown][] = [
    ["shards", run.shards ?? run.shards_wanted],
    ["axis", run.axis],
    ["transform", run.transform],
    ...Object.entries(run.options),
  ];
  const about = {
    cells: cells ?? String(run.options["cells"] ?? "gaussian"),
    sampler: String(run.options["sampler"] ?? "auto"),
    dimension: run.dataset.dimension ?? 1,
  };
  const told = asked.filter(([name]) => applies(FIELDS.find((field) => field.name === name) ?? {}, about));
  return (
    <section aria-labelledby="parameters">
      <div class="bar">
        <h2 id="parameters">Parameters</h2>
      </div>
      <dl class="parameters">
        {told.map(([name, value]) => (
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
