import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { Problem } from "../api/client";
import { asProblem } from "../api/use";
import { Button } from "./Button";
import { ProblemNote } from "./Problem";

interface Props {
  title: string;
  /** What the button says that does it. */
  action: string;
  danger?: boolean;
  /** Does it; the dialog stays, with the reason, if it fails. */
  onConfirm: () => Promise<void> | void;
  onClose: () => void;
  children?: ComponentChildren;
}

/** Asks before something is done that cannot be undone. Escape, and the first button, leave things as they are. */
export function Confirm({ title, action, danger = false, onConfirm, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onClose={onClose}>
      <h2 id="confirm-title">{title}</h2>
      {children}
      {problem && <ProblemNote problem={problem} />}
      <div class="actions">
        <Button onClick={onClose}>Leave it</Button>
        <Button kind={danger ? "danger" : "primary"} busy={busy} onClick={() => void confirm()}>
          {action}
        </Button>
      </div>
    </dialog>
  );
}
