/** What repeats a run, to be copied. */
import { useEffect, useId, useState } from "preact/hooks";

import { Button } from "../ui/Button";
import "./again.css";

interface Props {
  /** What there is to copy, by what it is for. */
  readonly ways: readonly { readonly name: string; readonly text: string }[];
  readonly note?: string;
}

export function Again({ ways, note }: Props) {
  const [chosen, setChosen] = useState(0);
  const [copied, setCopied] = useState<string>();
  const id = useId();
  const { text } = ways[chosen]!;
  useEffect(() => setCopied(undefined), [text]);
  const copy = async (): Promise<void> => {
    // A report in a sandbox, and a page without TLS, may not write to the clipboard: there one selects the text.
    const done = await (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error())).then(
      () => true,
      () => false,
    );
    if (!done) getSelection()?.selectAllChildren(document.getElementById(id)!);
    setCopied(done ? "Copied." : "Selected: copy it with Ctrl-C.");
  };
  return (
    <div class="again">
      <div class="bar">
        {ways.length > 1 && (
          <fieldset class="segments">
            <legend>Run it again with</legend>
            {ways.map(({ name }, i) => (
              <label key={name}>
                <input type="radio" name={id} checked={chosen === i} onChange={() => setChosen(i)} />
                <span>{name}</span>
              </label>
            ))}
          </fieldset>
        )}
        <span class="actions">
          <span class="note" role="status">
            {copied}
          </span>
          <Button kind="quiet" onClick={() => void copy()}>
            Copy
          </Button>
        </span>
      </div>
      <pre id={id} tabIndex={0}>
        {text}
      </pre>
      {note && <p class="note">{note}</p>}
    </div>
  );
}
