import type { ComponentChildren, JSX } from "preact";

type Props = Omit<JSX.HTMLAttributes<HTMLButtonElement>, "class"> & {
  kind?: "primary" | "danger" | "quiet";
  type?: "button" | "submit";
  disabled?: boolean;
  /** Under way: shown, and not to be pressed again. */
  busy?: boolean;
  children?: ComponentChildren;
};

export function Button({ kind, type = "button", busy = false, disabled = false, children, ...rest }: Props) {
  return (
    <button type={type} class={`button ${kind ?? ""}`} disabled={disabled || busy} aria-busy={busy} {...rest}>
      {children}
      {busy && <span class="busy" aria-hidden="true" />}
    </button>
  );
}
