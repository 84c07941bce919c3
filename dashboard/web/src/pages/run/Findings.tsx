/** What was found, in a few sentences: which estimate, how sure it is, and how near to what is known. */
import { artifact } from "../../api/client";
import type { Run } from "../../api/types";
import { useResource } from "../../api/use";
import { Link } from "../../router";
import { Loading, ProblemNote } from "../../ui";
import { type RunRecord, confidenceOf, estimateOf, scoresOf } from "./record";

export function Findings({ run }: { run: Run }) {
  const { data, problem, reload } = useResource(
    (signal) => artifact(run.id, "run.json", signal).then((found) => found.json() as Promise<RunRecord>),
    [run.id],
  );
  if (problem) return <ProblemNote problem={problem} retry={reload} />;
  if (!data) return <Loading what="Reading what was found" />;
  const [sure, scores] = [confidenceOf(data), scoresOf(data)];
  return (
    <dl class="findings" aria-label="What was found">
      <Finding name="Reported is">
        <p>{estimateOf(data)}</p>
      </Finding>
      <Finding name="How sure">
        {sure.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {sure.length === 0 && (
          <p>
            Not known: no draws were kept. <Link href={`/runs/new?from=${run.id}`}>Run it again with a burn-in</Link> to
            have a confidence for every row and column.
          </p>
        )}
        {data.diagnosis && (
          <p class={data.diagnosis.agree === false ? "doubt" : ""}>{data.diagnosis.sentence}</p>
        )}
      </Finding>
      {scores.length > 0 && (
        <Finding name="Known classes">
          {scores.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </Finding>
      )}
      {(data.ppc || data.warnings.length > 0) && (
        <Finding name="Fit of the model">
          {data.ppc && <p>{data.ppc.sentence}</p>}
          {data.warnings.map((warning) => (
            <p key={warning} class="doubt">
              {warning}
            </p>
          ))}
        </Finding>
      )}
    </dl>
  );
}

const Finding = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
