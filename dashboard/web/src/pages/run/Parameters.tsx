/** What was asked for, and how to ask for it again. */
import { useContext } from "preact/hooks";

import { Again } from "../../again/Again";
import { type Asked, commandOf, pythonOf, requestOf } from "../../again/commands";
import { get } from "../../api/client";
import type { Dataset, Run } from "../../api/types";
import { useResource } from "../../api/use";
import { BASE } from "../../base";
import { SessionContext } from "../../ui";
import { FIELDS, applies } from "../new/parameters";
import { shown } from "./values";

interface Props {
  run: Run;
  /** Type of the cells, once it is known. */
  cells: string | undefined;
}

export function Parameters({ run, cells }: Props) {
  const dataset = useResource(
    (signal) => get("/datasets/{dataset_id}", { path: { dataset_id: run.dataset.id }, signal }),
    [run.dataset.id],
  );
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
      {dataset.data && <Repeat run={run} dataset={dataset.data} />}
    </section>
  );
}

function Repeat({ run, dataset }: { run: Run; dataset: Dataset }) {
  const signedIn = useContext(SessionContext)?.token_needed ?? false;
  const asked: Asked = {
    file: dataset.name,
    reading: dataset.reading,
    transform: run.transform,
    shards: run.shards ?? run.shards_wanted,
    axis: run.axis,
    options: run.options,
  };
  return (
    <Again
      ways={[
        { name: "Command line", text: commandOf(asked) },
        { name: "Python", text: pythonOf(asked) },
        { name: "curl", text: requestOf(asked, dataset.id, run.name, location.origin + BASE, signedIn) },
      ]}
      note={run.options["start"] === "given" ? "The run started from labels of its own, which the command needs too: --start." : undefined}
    />
  );
}
