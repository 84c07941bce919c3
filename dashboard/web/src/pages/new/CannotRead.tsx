import { Problem } from "../../api/client";
import { type Hint, type Noted, nameOf, textOf } from "../../api/names";
import { Button, ProblemNote } from "../../ui";
import { AS_IT_IS, type Reading, linesOf, withHint } from "./reading";

interface Props {
  title: string;
  /** Why. */
  message: Noted;
  /** How the file can be read, where the server knows. */
  proposed: Partial<Reading> | null | undefined;
  /** How it is read now. */
  now: Reading;
  busy?: boolean;
  onRead: (reading: Reading) => void;
}

/** Why a file cannot be read as it is, and how it can be, where the server knows. */
export function CannotRead({ title, message, proposed, now, busy, onRead }: Props) {
  const said = new Problem(422, "input", title, textOf(message), { note: message });
  const option = (hint: Hint) => {
    const read = withHint(now, hint);
    return (
      read && (
        <Button kind="quiet" busy={busy} onClick={() => onRead(read)}>
          {nameOf(hint)}
        </Button>
      )
    );
  };
  if (!proposed) {
    return (
      <ProblemNote problem={said} option={option}>
        <p>Change below how the file is read, or correct the file and choose it again.</p>
      </ProblemNote>
    );
  }
  const reading = { ...AS_IT_IS, ...proposed };
  const known = linesOf(now);
  return (
    <ProblemNote problem={said} option={option}>
      <p>It can be read like this:</p>
      <ul>
        {linesOf(reading)
          .filter((line) => !known.includes(line))
          .map((line) => (
            <li key={line}>{line}</li>
          ))}
      </ul>
      <Button kind="primary" busy={busy} onClick={() => onRead(reading)}>
        Read it with these changes
      </Button>
    </ProblemNote>
  );
}
