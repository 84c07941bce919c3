import { useAway } from "../api/reach";
import { Ago } from "./Time";

/** Says at the top of a page that the server does not answer, and that what is shown is as it was then. */
export function Away() {
  const since = useAway();
  if (since === undefined) return null;
  return (
    <div class="away">
      <p role="alert">
        <strong>The server does not answer.</strong> The page shows what it knew last, and asks again every few seconds.
        See that <code>disnplbm serve</code> runs.
      </p>
      <p>
        Away since <Ago at={new Date(since).toISOString()} />.
      </p>
    </div>
  );
}
