/** What was found, in a few sentences: which estimate, how sure it is, and how near to what is known. */
import { artifact } from "../../api/client";
import { type Hint, capitalised, nameOf, textOf } from "../../api/names";
import type { Run } from "../../api/types";
import { useResource } from "../../api/use";
import { Link } from "../../router";
import { Loading, ProblemNote, Said, useMayChange } from "../../ui";
import { MOST_ITERATIONS, fieldsOf, withBurnIn } from "../new/parameters";
import { type RunRecord, answersOf, confidenceOf, estimateOf, notesOf, scoresOf } from "./record";

export function Findings({ run }: { run: Run }) {
  const { data, problem, reload } = useResource(
    (signal) => artifact(run.id, "run.json", signal).then((found) => found.json() as Promise<RunRecord>),
    [run.id],
  );
  const mayChange = useMayChange();
  if (problem) return <ProblemNote problem={problem} retry={reload} />;
  if (!data) return <Loading what="Reading what was found" />;
  const [sure, scores, answers] = [confidenceOf(data), scoresOf(data), answersOf(data)];
  return (
    <dl class="findings" aria-label="What was found">
      <Finding name="Shown">
        <p>{estimateOf(data)}</p>
        {data.posterior?.shown && <p>{data.posterior.shown}</p>}
      </Finding>
      <Finding name="How sure">
        {sure.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {sure.length === 0 && (
          <p>
            Not known, because the run kept no draws.
            {mayChange && (
              <>
                {" "}
                <Link href={againWithBurnIn(run)}>Run it again with a burn-in</Link> to learn how certain each label is.
              </>
            )}
          </p>
        )}
        {data.diagnosis && (
          <p class={data.diagnosis.agree === false ? "doubt" : ""}>
            {data.diagnosis.sentence}{" "}
            {run.verdict?.kind === "short" && mayChange && (
              <Link href={longer(run)}>Run it again that long</Link>
            )}
            {run.verdict?.kind === "stuck" && mayChange && run.options["start"] !== "crossed" && (
              <Link href={`/runs/new?from=${run.id}&start=crossed`}>Run it again from crossed starts</Link>
            )}
          </p>
        )}
      </Finding>
      {answers.length > 0 && (
        <Finding name="Each chain">
          {answers.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </Finding>
      )}
      {scores.length > 0 && (
        <Finding name="Known classes">
          {scores.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </Finding>
      )}
      {data.ppc && (
        <Finding name="Fit of the model">
          <p>
            <Said text={data.ppc.sentence} />
          </p>
        </Finding>
      )}
      {data.warnings.length > 0 && (
        <Finding name="Notes">
          {notesOf(data).map((note) => (
            <p key={textOf(note)} class="doubt">
              <Said text={capitalised(note)} option={(hint) => again(run, hint)} />
            </p>
          ))}
        </Finding>
      )}
    </dl>
  );
}

/** A link to the run again with what a hint names. */
function again(run: Run, hint: Hint) {
  const fields = fieldsOf(hint);
  return fields && <Link href={`/runs/new?${new URLSearchParams({ from: run.id, ...fields })}`}>{nameOf(hint)}</Link>;
}

function againWithBurnIn(run: Run): string {
  const { burn_in, iterations } = withBurnIn(run);
  return `/runs/new?from=${run.id}&burn_in=${burn_in}&iterations=${iterations}`;
}

/** R-hat up to which chains twice as long may do; else it takes chains four times as long, as the sentence says. */
const NEARLY = 1.05;

function longer(run: Run): string {
  const rHat = run.verdict?.r_hat;
  const times = typeof rHat === "number" && rHat <= NEARLY ? 2 : 4;
  const iterations = Math.min(times * Number(run.options["iterations"]), MOST_ITERATIONS);
  return `/runs/new?from=${run.id}&burn_in=${Math.floor(iterations / 2)}&iterations=${iterations}`;
}

const Finding = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
