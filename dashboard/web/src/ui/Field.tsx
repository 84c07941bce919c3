import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface Props {
  label: string;
  /** Read after the name of the field, and not as a part of it. */
  hint?: ComponentChildren;
  /** The input, given what ties it to its label and hint. */
  children: (tie: { id: string; "aria-describedby": string | undefined }) => JSX.Element;
}

/** An input under its name, with a word of help. */
export function Field({ label, hint, children }: Props) {
  const id = useId();
  const described = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": described })}
      {hint !== undefined && <small id={described}>{hint}</small>}
    </div>
  );
}
