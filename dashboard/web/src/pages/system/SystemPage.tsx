import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

import { address, get } from "../../api/client";
import { STATES, type System, type Workers } from "../../api/types";
import { useResource } from "../../api/use";
import { Link } from "../../router";
import { Ago, Empty, Fact, Loading, PageHead, ProblemNote, ProgressBar, StateBadge, format } from "../../ui";

const DOCUMENT = address("/openapi.json");

/** Milliseconds between two looks. */
const EVERY = 5000;

export function SystemPage() {
  const system = useResource((signal) => get("/system", { signal }), []);
  const workers = useResource((signal) => get("/workers", { signal }), []);
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (document.hidden) return;
      system.reload();
      workers.reload();
    }, EVERY);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <>
      <PageHead title="System" />
      {system.problem && <ProblemNote problem={system.problem} retry={system.reload} />}
      {system.data === undefined && !system.problem && <Loading />}
      {system.data && <Server system={system.data} />}
      {workers.problem && <ProblemNote problem={workers.problem} retry={workers.reload} />}
      {workers.data && <Work workers={workers.data} processors={system.data?.processors} />}
      {system.data && <Kept system={system.data} />}
      {system.data && <Versions system={system.data} />}
    </>
  );
}

function Server({ system }: { system: System }) {
  return (
    <section aria-labelledby="runs-title">
      <h2 id="runs-title">Runs</h2>
      <ul class="states">
        {STATES.map((state) => (
          <li key={state}>
            <Link href={`/runs?state=${state}`}>
              <StateBadge state={state} />
            </Link>{" "}
            {format.count(system.runs[state] ?? 0)}
          </li>
        ))}
      </ul>
      <p class="note">
        Each person may have {format.count(system.live_runs)} unfinished runs.{" "}
        {format.plural(system.listeners, "open page")} {system.listeners === 1 ? "follows" : "follow"} runs now.
      </p>
    </section>
  );
}

function Work({ workers, processors }: { workers: Workers; processors: number | undefined }) {
  if (workers.embedded) {
    return (
      <section aria-labelledby="work-title">
        <h2 id="work-title">Workers</h2>
        <p>
          This server does the runs itself, one at a time
          {processors !== undefined && `, on ${format.plural(processors, "processor")}`}.
        </p>
      </section>
    );
  }
  return (
    <>
      <section aria-labelledby="work-title">
        <h2 id="work-title">Workers</h2>
        {workers.workers.length === 0 ? (
          <Empty title="No worker was heard from in the last hour">
            <p>
              Workers are heard from while they work. If runs wait, start one with <code>disnplbm worker</code>, and see
              that it reaches the broker.
            </p>
          </Empty>
        ) : (
          <Table label="Workers" heads={["Worker", "Last heard from", "Shards done, of runs that are kept"]}>
            {workers.workers.map((worker) => (
              <tr key={worker.name}>
                <th scope="row">{worker.name}</th>
                <td>
                  <Ago at={worker.last_seen} />
                </td>
                <td class="number">{format.count(worker.shards)}</td>
              </tr>
            ))}
          </Table>
        )}
      </section>
      <section aria-labelledby="queues-title">
        <h2 id="queues-title">Queues</h2>
        {workers.broker !== null ? (
          <div class="problem" role="alert">
            <p>
              <strong>The broker cannot be asked</strong>
            </p>
            <p>{workers.broker}</p>
          </div>
        ) : (
          <Table label="Queues" heads={["Queue", "Messages that wait", "Consumers"]}>
            {workers.queues.map((queue) => (
              <tr key={queue.name}>
                <th scope="row">{queue.name}</th>
                <td class="number">{queue.waiting === null ? "not there yet" : format.count(queue.waiting)}</td>
                <td class="number">{format.count(queue.consumers)}</td>
              </tr>
            ))}
          </Table>
        )}
      </section>
    </>
  );
}

function Table({ label, heads, children }: { label: string; heads: string[]; children: ComponentChildren }) {
  return (
    <div class="wide" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head, at) => (
              <th key={head} scope="col" class={at > 0 && head !== "Last heard from" ? "number" : ""}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function Kept({ system: { storage } }: { system: System }) {
  return (
    <section aria-labelledby="storage-title">
      <h2 id="storage-title">Storage</h2>
      <dl class="facts">
        <Fact name="Uploaded files">
          <ProgressBar
            done={storage.uploaded_bytes}
            total={storage.upload_total_bytes}
            label="Room for uploads that is taken"
            text={`${format.bytes(storage.uploaded_bytes)} of ${format.bytes(storage.upload_total_bytes)}`}
          />
        </Fact>
        <Fact name="Largest file">{format.bytes(storage.upload_limit_bytes)}</Fact>
        {storage.free_bytes !== null && <Fact name="Free on its disk">{format.bytes(storage.free_bytes)}</Fact>}
        <Fact name="Data are in">{storage.store === "folder" ? "a folder" : storage.store}</Fact>
        <Fact name="Runs are in">{storage.database}</Fact>
      </dl>
    </section>
  );
}

function Versions({ system }: { system: System }) {
  return (
    <section aria-labelledby="versions-title">
      <h2 id="versions-title">Versions</h2>
      <dl class="facts">
        <Fact name="disnplbm">{system.version}</Fact>
        <Fact name="Algorithm">{system.algorithm}</Fact>
        <Fact name="Python">{system.python}</Fact>
        <Fact name="NumPy">{system.numpy}</Fact>
      </dl>
      <p class="note">
        The same data, seed and shards give the same labels, bit for bit, within one version of the algorithm. The API
        is described at <a href={DOCUMENT}>{DOCUMENT}</a>.
      </p>
    </section>
  );
}
