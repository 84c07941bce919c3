import type { ComponentChildren } from "preact";

import { type Hint, type Noted, nameOf } from "../api/names";

interface Props {
  text: Noted;
  /** Shows an option in a way of its own, such as a button that sets it; undefined shows its name. */
  option?: (hint: Hint) => ComponentChildren | undefined;
}

/** A note or an error, with commands as code, and with the options that it names as the pages call them. */
export function Said({ text, option }: Props) {
  if (typeof text === "string") return <Prose marked={text} />;
  return (
    <>
      {text.parts.map((part) =>
        typeof part === "string" ? <Prose marked={part} /> : (option?.(part) ?? <strong>{nameOf(part)}</strong>),
      )}
    </>
  );
}

/** Prose that marks commands with backticks. */
function Prose({ marked }: { marked: string }) {
  return <>{marked.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>;
}
