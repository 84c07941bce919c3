import type { ComponentChildren } from "preact";

import type { Problem } from "../api/client";
import type { Hint } from "../api/names";
import { Button } from "./Button";
import { Said } from "./Said";

interface Props {
  problem: Problem;
  /** Offered as a button, where asking again may help. */
  retry?: () => void;
  /** Shows an option that the text names in a way of its own; undefined shows its name. */
  option?: (hint: Hint) => ComponentChildren | undefined;
  /** What to do next. */
  children?: ComponentChildren;
}

/** An error, with its text and what to do about it. */
export function ProblemNote({ problem, retry, option, children }: Props) {
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{problem.title}</strong>
      </p>
      <p>
        <Said text={problem.said} option={option} />
      </p>
      {children}
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}
