import type { ComponentChildren } from "preact";

/** A name and a value, in a list of the class "facts". */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
