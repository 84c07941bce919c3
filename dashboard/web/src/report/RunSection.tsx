/** How the run was made. */
import { Again } from "../again/Again";
import { commandOf, pythonOf } from "../again/commands";
import { taken } from "../charts/ticks";
import { shown } from "../pages/run/values";
import * as format from "../ui/format";
import type { RunFigures } from "./document";

export function RunSection({ run }: { run: RunFigures }) {
  const cost = {
    "iterations only": taken(run.seconds),
    "in all": taken(run.seconds_total),
    "an iteration": taken(run.seconds_per_iteration),
    "peak memory": `${format.number(run.peak_memory_mb, 3)} MB`,
    shards: format.count(run.shards),
  };
  const { shard_axis: axis, ...options } = run.parameters;
  const asked = {
    file: String(run.data["path"] ?? run.name),
    reading: (run.data["reading"] ?? {}) as object,
    transform: String(run.data["transform"] ?? "none"),
    shards: run.shards,
    axis: String(axis ?? "auto"),
    options,
  };
  return (
    <section aria-labelledby="run-title">
      <div class="bar">
        <h2 id="run-title">Run</h2>
      </div>
      <div class="lists">
        <List title="Parameters" entries={run.parameters} />
        <List title="Data" entries={run.data} />
        <List title="Cost" entries={cost} />
        <List title="Versions" entries={run.versions} />
      </div>
      <Again
        ways={[
          { name: "Command line", text: commandOf(asked) },
          { name: "Python", text: pythonOf(asked) },
        ]}
      />
      <dl class="digest">
        <div>
          <dt>Digest of labels and trace</dt>
          <dd>
            <code>{run.digest}</code>
          </dd>
        </div>
        <div>
          <dt>Started</dt>
          <dd>
            <time dateTime={run.created}>{run.created}</time>
          </dd>
        </div>
      </dl>
    </section>
  );
}

function List({ title, entries }: { title: string; entries: Readonly<Record<string, unknown>> }) {
  return (
    <div>
      <h3>{title}</h3>
      <dl class="parameters">
        {Object.entries(entries).map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll("_", " ")}</dt>
            <dd>{name === "sha256" ? <Abbreviated text={String(value)} /> : shown(value, name)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const Abbreviated = ({ text }: { text: string }) => <code title={text}>{text.slice(0, 16)}…</code>;
