/** The runs that are compared, and the way to leave one out. */
import type { Comparison, Run } from "../../api/types";
import { SERIES } from "../../charts/LineChart";
import { Link, navigate } from "../../router";
import { Button, StateBadge, format, titleOf } from "../../ui";
import { compareAddress } from "./address";

interface Props {
  runs: readonly Run[];
  labels: readonly string[];
  /** What they found, once that is compared. */
  results: Comparison["runs"] | undefined;
}

export function Chosen({ runs, labels, results }: Props) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="The runs">
      <table>
        <thead>
          <tr>
            <th>Run</th>
            <th>State</th>
            <th class="number">K × L</th>
            <th class="number">Log joint</th>
            <th class="number">Iterations</th>
            <th>
              <span class="spoken">Change the choice</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, i) => (
            <tr key={run.id}>
              <td class="title">
                <i class={`dot series-${i % SERIES}`} aria-hidden="true" />{" "}
                <Link href={`/runs/${run.id}`}>{titleOf(run)}</Link> <code>{run.id}</code>
              </td>
              <td>
                <StateBadge state={run.state} stage={run.stage} />
              </td>
              <td class="number">
                {format.shape(
                  results?.[i]?.row_clusters ?? run.row_clusters,
                  results?.[i]?.column_clusters ?? run.column_clusters,
                )}
              </td>
              <td class="number">{format.logJoint(results?.[i]?.log_joint ?? run.log_joint)}</td>
              <td class="number">{format.count(run.progress.done)}</td>
              <td>
                {runs.length > 2 && (
                  <Button
                    kind="quiet"
                    aria-label={`Leave ${labels[i]} out`}
                    onClick={() => navigate(compareAddress(runs.map((each) => each.id).filter((id) => id !== run.id)))}
                  >
                    Leave out
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
