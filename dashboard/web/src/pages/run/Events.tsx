/** What happened to a run, and who did it. */
import { get } from "../../api/client";
import type { Event } from "../../api/types";
import { useResource } from "../../api/use";
import { Loading, ProblemNote, Time, format } from "../../ui";

const MOST = 1000;

/** @param came Events since the page was opened. */
export function Events({ run, came, turn }: { run: string; came: readonly Event[]; turn: number }) {
  const { data, problem, reload } = useResource(
    (signal) => get("/runs/{run_id}/events", { path: { run_id: run }, query: { limit: MOST }, signal }),
    [run, turn],
    { keep: true },
  );
  const all = new Map([...(data?.items ?? []), ...came].map((event) => [event.id, event]));
  const events = [...all.values()].sort((a, b) => b.id - a.id);
  return (
    <section aria-labelledby="events">
      <div class="bar">
        <h2 id="events">Events</h2>
      </div>
      {problem && <ProblemNote problem={problem} retry={reload} />}
      {!data && !problem && <Loading what="Reading the events" />}
      {events.length > 0 && (
        <div class="wide tall" tabIndex={0} role="region" aria-label="Events, the newest first">
          <table>
            <thead>
              <tr>
                <th>When</th>
                <th>What</th>
                <th>By</th>
                <th>Why</th>
              </tr>
            </thead>
            <tbody>
              {events.map((event) => (
                <tr key={event.id}>
                  <td class="moment">
                    <Time at={event.at} />
                  </td>
                  <td>
                    {event.kind === "state" && event.to_state !== null
                      ? `${(event.from_state ?? "").toLowerCase()} → ${event.to_state.toLowerCase()}`
                      : event.kind}
                  </td>
                  <td>{event.actor}</td>
                  <td class="reason">{event.reason || format.NONE}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
