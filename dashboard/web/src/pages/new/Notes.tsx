import { format } from "../../ui";

/** Things to know, one line each. */
export function Notes({ notes, of }: { notes: readonly string[]; of: string }) {
  return (
    <div class="warnings" role="note" aria-label="Warnings">
      <strong>
        {format.plural(notes.length, "thing")} {of}
      </strong>
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </div>
  );
}
