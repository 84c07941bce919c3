import { useRef } from "preact/hooks";

import { Field, ProblemNote } from "../../ui";
import { type Axis, type FactorFiles, inWords, readFactors } from "./factors";

interface Props {
  files: FactorFiles;
  onChange: (change: (now: FactorFiles) => FactorFiles) => void;
  /** Whether the run is like another one, whose factors stay where no file is chosen. */
  kept: boolean;
}

/** A file of factors for the rows, and one for the columns. */
export function FactorFields(props: Props) {
  return (
    <>
      <OneFile axis="row" {...props} />
      <OneFile axis="column" {...props} />
    </>
  );
}

function OneFile({ axis, files, onChange, kept }: Props & { axis: Axis }) {
  const last = useRef(0);
  const take = async (file: File | undefined): Promise<void> => {
    const turn = ++last.current;
    onChange((now) => ({ ...now, [axis]: file && { name: file.name } }));
    if (file === undefined) return;
    const read = await readFactors(file);
    // Another file may have been chosen meanwhile.
    if (turn === last.current) onChange((now) => ({ ...now, [axis]: read }));
  };
  const chosen = files[axis];
  const without = kept ? "Without a file, the other run's factors stay." : "Without a file, each is 1.";
  return (
    <div>
      <Field
        label={`Factors of the ${axis}s`}
        hint={chosen?.factors ? inWords(chosen, axis) : `Names and one column of numbers above 0. ${without}`}
      >
        {(tie) => (
          <input
            {...tie}
            type="file"
            name={`${axis}_factors`}
            ref={(input) => input?.setCustomValidity(chosen && !chosen.factors ? faultOf(chosen.name, chosen.problem !== undefined) : "")}
            onChange={(event) => void take(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
      {chosen?.problem && <ProblemNote problem={chosen.problem} />}
    </div>
  );
}

const faultOf = (name: string, failed: boolean): string =>
  failed ? `${name} holds no factors: choose another file.` : `${name} is being read: wait a moment.`;
