import { useEffect, useState } from "preact/hooks";

import { type Problem, get, post } from "../../api/client";
import { type Hint, capitalised } from "../../api/names";
import type { Dataset, Preflight, Run } from "../../api/types";
import { asProblem, useResource } from "../../api/use";
import { Link, navigate, useQuery } from "../../router";
import { Button, Loading, ProblemNote, ProgressBar, Said, format, titleOf } from "../../ui";
import { FactorFields } from "./FactorFields";
import { Fields } from "./Fields";
import { HowRead } from "./HowRead";
import { PreflightReport } from "./Preflight";
import { type FactorFiles, factorsOf } from "./factors";
import { type Values, aboutOf, asked, everything, fieldsOf, secondsOf, valuesIn, valuesOf } from "./parameters";
import { readingOf, withHint } from "./reading";
import { useKey } from "./upload";
import { useRead } from "./useRead";

interface Props {
  id: string;
  /** A run whose parameters are taken over. */
  like: Run | undefined;
  /** The file, if this page sent it. */
  file: File | undefined;
}

/** A dataset: what is in it, and what is to be done with it. */
export function DatasetStep({ id, like, file }: Props) {
  const dataset = useResource((signal) => get("/datasets/{dataset_id}", { path: { dataset_id: id }, signal }), [id]);
  const { report, done, problem, retry } = usePreflight(id);
  const [hinted, setHinted] = useState<Values>({});
  const reader = useRead(id, (read) => {
    dataset.mutate(() => read);
    retry();
  });
  if (dataset.problem) {
    return (
      <ProblemNote problem={dataset.problem} retry={dataset.reload}>
        <p>
          <Link href="/runs/new">Choose another dataset</Link>
        </p>
      </ProblemNote>
    );
  }
  if (dataset.data === undefined) return <Loading what="Loading the dataset" />;
  // A run reads its table as it was read for the first one.
  const fixed = dataset.data.state === "READY";
  const now = readingOf(dataset.data);
  const follow = (hint: Hint): (() => void) | undefined => {
    const [fields, reading] = [fieldsOf(hint), fixed ? undefined : withHint(now, hint)];
    return fields ? () => setHinted(fields) : reading && (() => void reader.read(reading));
  };
  return (
    <section class="stack" aria-labelledby="dataset-title">
      <div class="bar">
        <h2 id="dataset-title">
          {dataset.data.name} <small>{format.bytes(dataset.data.bytes)}</small>
        </h2>
        <Link href="/runs/new" class="button quiet">
          Choose another
        </Link>
      </div>
      {problem && problem.kind !== "input" && <ProblemNote problem={problem} retry={retry} />}
      {!problem && !report && (
        <div class="actions" role="status">
          <ProgressBar
            done={done.done}
            total={done.total}
            label="Pre-flight check"
            text={checked(done)}
          />
        </div>
      )}
      {report && <PreflightReport report={report} follow={follow} />}
      {!fixed && (report || problem?.kind === "input") && (
        <HowRead dataset={dataset.data} file={file} problem={problem} reader={reader} />
      )}
      {report && <Parameters key={like?.id ?? id} dataset={dataset.data} report={report} like={like} hinted={hinted} />}
    </section>
  );
}

interface Asked {
  dataset: Dataset;
  report: Preflight;
  like: Run | undefined;
  /** Fields that a note's button set last. */
  hinted: Values;
}

function Parameters({ dataset, report, like, hinted }: Asked) {
  const [query] = useQuery();
  const { transform, reason } = report.advice;
  const [values, setValues] = useState<Values>(() => ({
    ...(like ? valuesOf(like) : transform === "none" ? {} : { transform }),
    ...valuesIn(query),
  }));
  useEffect(() => setValues((now) => ({ ...now, ...hinted })), [hinted]);
  const [files, setFiles] = useState<FactorFiles>({});
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const keyOf = useKey();
  const start = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const wanted = { ...(like ? everything(values) : asked(values)), ...factorsOf(values, files) };
      const key = keyOf(wanted);
      const run = like
        ? await post("/runs/{run_id}/clone", { path: { run_id: like.id }, body: wanted, key })
        : await post("/runs", { body: { dataset: dataset.id, ...wanted }, key });
      navigate(`/runs/${run.id}`);
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  const [least, most] = secondsOf(values, report.time);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      {like && (
        <p class="note">
          The parameters come from <Link href={`/runs/${like.id}`}>{titleOf(like)}</Link>. Change what you like.
        </p>
      )}
      <p class="note">
        Recommended transform: <strong>{transform}</strong>. <Said text={capitalised(reason)} />.
        {transform !== "none" && values.transform === transform && " It is chosen below."}
      </p>
      <Fields
        values={values}
        onChange={setValues}
        name={dataset.name}
        about={aboutOf(values, report)}
        factors={<FactorFields files={files} onChange={setFiles} kept={like?.options["exposure"] === "given"} />}
      />
      {problem && <ProblemNote problem={problem} />}
      <div class="actions">
        <Button kind="primary" type="submit" busy={busy}>
          Start the run
        </Button>
        <span class="note">
          Takes {inSeconds(least)} to {inSeconds(most)} on one core, and about {format.bytes(report.memory_mb * 1e6)} of
          memory.
        </span>
      </div>
    </form>
  );
}

const inSeconds = (seconds: number): string => (seconds < 10 ? `${Math.ceil(seconds)} s` : format.duration(seconds));

/** How far the check has come; once all is read, a few iterations are tried. */
function checked({ done, total }: { done: number; total: number }): string {
  if (total === 0) return "Checking the table …";
  if (done >= total) return "Trying a few iterations, to say how long a run takes …";
  return `Checked ${format.bytes(done)} of ${format.bytes(total)}`;
}

interface Checked {
  report: Preflight | undefined;
  done: { done: number; total: number };
  problem: Problem | undefined;
  retry: () => void;
}

/** The report of a dataset, asked for until it is made. */
function usePreflight(id: string): Checked {
  const [state, setState] = useState<Omit<Checked, "retry">>(NOTHING_YET);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    setState(NOTHING_YET);
    const ask = async (): Promise<void> => {
      while (!signal.aborted) {
        const found = await get("/datasets/{dataset_id}/preflight", { path: { dataset_id: id }, signal });
        if (signal.aborted) return;
        if ("rows" in found) {
          setState({ ...NOTHING_YET, report: found });
          return;
        }
        setState({ ...NOTHING_YET, done: found });
      }
    };
    ask().catch((error: unknown) => {
      if (!signal.aborted) setState({ ...NOTHING_YET, problem: asProblem(error) });
    });
    return () => control.abort();
  }, [id, turn]);
  return { ...state, retry: () => setTurn((now) => now + 1) };
}

const NOTHING_YET = { report: undefined, done: { done: 0, total: 0 }, problem: undefined };
