/** All members of a cluster, however many; each opens the heatmap at its place. */
import { useEffect, useRef, useState } from "preact/hooks";

import { Button } from "../ui/Button";
import * as format from "../ui/format";
import "./members.css";
import { search } from "./roster";

/** Names that are shown at a time. */
const PAGE = 200;

interface Props {
  readonly title: string;
  /** Of all, by their places. */
  readonly names: readonly string[];
  /** Of the members. */
  readonly places: readonly number[];
  readonly onLook: (place: number) => void;
  readonly onClose: () => void;
}

export function MemberList({ title, names, places, onLook, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [page, setPage] = useState(0);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  const found = search(names, text, places);
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const first = page * PAGE;
  const shown = found.slice(first, first + PAGE);
  return (
    <dialog ref={dialog} class="confirm members-dialog" aria-labelledby="members-title" onClose={onClose}>
      <div class="members-head">
        <h2 id="members-title">{title}</h2>
        <Button kind="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      {places.length > 12 && (
        <label class="members-search">
          <span class="spoken">Search these names</span>
          <input
            type="search"
            placeholder="Search these names"
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setPage(0);
            }}
          />
        </label>
      )}
      <ul class="members-list">
        {shown.map((place) => (
          <li key={place}>
            <button
              type="button"
              class="plain"
              onClick={() => {
                onClose();
                onLook(place);
              }}
              title="Show it in the heatmap"
            >
              {names[place]}
            </button>
          </li>
        ))}
      </ul>
      {text !== "" && found.length === 0 && <p class="note">No name here holds “{text}”.</p>}
      {pages > 1 && (
        <div class="actions">
          <Button kind="quiet" disabled={page === 0} onClick={() => setPage(page - 1)}>
            Previous
          </Button>
          <span class="note" aria-live="polite">
            {format.count(first + 1)} to {format.count(first + shown.length)} of {format.count(found.length)}
          </span>
          <Button kind="quiet" disabled={page === pages - 1} onClick={() => setPage(page + 1)}>
            Next
          </Button>
        </div>
      )}
    </dialog>
  );
}
