import type { Run } from "../../api/types";
import { isLive } from "../../api/types";
import { Link } from "../../router";
import { Doubt, Elapsed, ProgressBar, StateBadge, Time, format, titleOf } from "../../ui";
import { type SortName, toggled } from "./sorting";

interface Column {
  name: SortName;
  title: string;
  /** Numbers are read from the largest. */
  numeric?: boolean;
  /** How it is sorted, where one might wonder. */
  note?: string;
  /** "mid" and "low" go where there is less room. */
  rank?: "mid" | "low";
}

const OF_RESULTS = "Runs that have not succeeded come last when sorted by this";

const COLUMNS: readonly Column[] = [
  { name: "name", title: "Run" },
  { name: "state", title: "State", rank: "mid" },
  { name: "dataset", title: "Dataset", rank: "low" },
  { name: "cells", title: "Rows × columns", numeric: true, rank: "mid" },
  { name: "clusters", title: "K × L", numeric: true, note: OF_RESULTS },
  { name: "log_joint", title: "Log joint", numeric: true, note: OF_RESULTS, rank: "low" },
  { name: "progress", title: "Progress", rank: "mid" },
  { name: "elapsed", title: "Elapsed", numeric: true, rank: "mid" },
  { name: "created", title: "Submitted", rank: "low" },
];

interface Props {
  runs: Run[];
  sort: string;
  onSort: (sort: string) => void;
  chosen: ReadonlySet<string>;
  onChoose: (ids: Set<string>) => void;
}

export function RunsTable({ runs, sort, onSort, chosen, onChoose }: Props) {
  const all = runs.length > 0 && runs.every((run) => chosen.has(run.id));
  const some = runs.some((run) => chosen.has(run.id));
  const flip = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChoose(next);
  };
  return (
    <>
      <label class="sort-by">
        Sorted by
        <select value={sort} onChange={(event) => onSort(event.currentTarget.value)}>
          {COLUMNS.flatMap(({ name, title }) => [
            <option key={name} value={name}>
              {title} ↑
            </option>,
            <option key={`-${name}`} value={`-${name}`}>
              {title} ↓
            </option>,
          ])}
        </select>
      </label>
      <div class="wide" role="region" aria-label="Runs" tabIndex={0}>
        <table class="runs">
          <thead>
            <tr>
              <th class="choose">
                <input
                  type="checkbox"
                  aria-label="Choose all runs that are shown"
                  checked={all}
                  indeterminate={some && !all}
                  onChange={() => onChoose(new Set(all ? [] : runs.map((run) => run.id)))}
                />
              </th>
              {COLUMNS.map((column) => (
                <Head key={column.name} column={column} sort={sort} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <Row key={run.id} run={run} chosen={chosen.has(run.id)} onChoose={() => flip(run.id)} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Head({ column, sort, onSort }: { column: Column; sort: string; onSort: (sort: string) => void }) {
  const { name, title, numeric = false, note, rank = "" } = column;
  const direction = sort === name ? "ascending" : sort === `-${name}` ? "descending" : undefined;
  return (
    <th class={`${numeric ? "number" : ""} ${rank}`} aria-sort={direction}>
      <button
        type="button"
        class="sort"
        title={note}
        onClick={() => onSort(toggled(sort, name, numeric || name === "created"))}
      >
        {title}
        <span aria-hidden="true">{direction === "ascending" ? " ↑" : direction === "descending" ? " ↓" : ""}</span>
      </button>
    </th>
  );
}

function Row({ run, chosen, onChoose }: { run: Run; chosen: boolean; onChoose: () => void }) {
  const { progress, dataset } = run;
  const shape = format.shape(dataset.rows, dataset.columns, dataset.dimension);
  return (
    <tr class={chosen ? "chosen" : ""}>
      <td class="choose">
        <input type="checkbox" aria-label={`Choose ${titleOf(run)}, ${run.id}`} checked={chosen} onChange={onChoose} />
      </td>
      <th scope="row" class="title">
        <Link href={`/runs/${run.id}`}>{titleOf(run)}</Link>
        <small>{run.id}</small>
        <small class="instead">
          <span class="of-low">{dataset.name} · </span>
          <span class="of-mid">{shape} · </span>
          {run.log_joint !== null && <span class="of-low">log joint {format.logJoint(run.log_joint)} · </span>}
          <span class="of-mid">
            {format.count(progress.done)} of {format.count(progress.total)} iterations ·{" "}
          </span>
          {run.started_at !== null && (
            <span class="of-mid">
              in <Elapsed since={run.started_at} until={run.finished_at} /> ·{" "}
            </span>
          )}
          <span class="of-low">
            <Time at={run.created_at} />
          </span>
        </small>
        <span class="narrow-only">
          <StateBadge state={run.state} stage={run.stage} />
          {isLive(run.state) && (
            <ProgressBar done={progress.done} total={progress.total} label={`Progress of ${titleOf(run)}`} text={null} />
          )}
        </span>
      </th>
      <td class="mid">
        <StateBadge state={run.state} stage={run.stage} />
      </td>
      <td class="low dataset" title={dataset.name}>
        {dataset.name}
      </td>
      <td class="number mid">{shape}</td>
      <td class="number">
        {format.shape(run.row_clusters, run.column_clusters)}
        <div>
          <Doubt verdict={run.verdict} />
        </div>
      </td>
      <td class="number low">{format.logJoint(run.log_joint)}</td>
      <td class="mid">
        <ProgressBar done={progress.done} total={progress.total} label={`Progress of ${titleOf(run)}, ${run.id}`} />
      </td>
      <td class="number mid">
        <Elapsed since={run.started_at} until={run.finished_at} />
      </td>
      <td class="low">
        <Time at={run.created_at} />
      </td>
    </tr>
  );
}
