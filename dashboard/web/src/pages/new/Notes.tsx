import { type Hint, type Noted, capitalised, nameOf, textOf } from "../../api/names";
import { Button, Said, format } from "../../ui";

interface Props {
  notes: readonly Noted[];
  of: string;
  /** What to do to follow a hint; undefined where nothing can be done here. */
  follow?: (hint: Hint) => (() => void) | undefined;
}

/** Things to know, one line each, with a button for each option that can be set here. */
export function Notes({ notes, of, follow }: Props) {
  const option = (hint: Hint) => {
    const onClick = follow?.(hint);
    return (
      onClick && (
        <Button kind="quiet" onClick={onClick}>
          {nameOf(hint)}
        </Button>
      )
    );
  };
  return (
    <div class="warnings" role="note" aria-label="Notes">
      <strong>
        {format.plural(notes.length, "thing")} {of}
      </strong>
      <ul>
        {notes.map((note) => (
          <li key={textOf(note)}>
            <Said text={capitalised(note)} option={option} />
          </li>
        ))}
      </ul>
    </div>
  );
}
