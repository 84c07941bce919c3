import type { ComponentChildren } from "preact";

import type { Problem } from "../api/client";
import { Button } from "./Button";
import { Said } from "./Said";

interface Props {
  problem: Problem;
  /** Offered as a button, where asking again may help. */
  retry?: () => void;
  /** What to do next. */
  children?: ComponentChildren;
}

/** An error, with its text and what to do about it. */
export function ProblemNote({ problem, retry, children }: Props) {
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{problem.title}</strong>
      </p>
      <p>
        <Said text={problem.said} />
      </p>
      {children}
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}
