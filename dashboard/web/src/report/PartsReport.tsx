/** The report of a run on a table of several parts: what it found, with the columns of one part at a time. */
import { useState } from "preact/hooks";

import { RunReport } from "./RunReport";
import { read } from "./address";
import type { PartsDocument } from "./document";

export function PartsReport({ found }: { found: PartsDocument }) {
  const [at, setAt] = useState(() => placeOf(read(location.hash, { part: "0" })["part"]!, found.parts.length));
  const choose = (place: number): void => {
    // What is chosen of one part's columns is nothing of another's.
    history.replaceState(null, "", place > 0 ? `#part=${place}` : location.pathname + location.search);
    setAt(place);
  };
  return (
    <RunReport key={at} found={found.parts[at]!.found}>
      <label class="which-part">
        Columns shown{" "}
        <select value={String(at)} onChange={(event) => choose(Number(event.currentTarget.value))}>
          {found.parts.map(({ title }, place) => (
            <option key={title} value={String(place)}>
              {title}
            </option>
          ))}
        </select>
      </label>
    </RunReport>
  );
}

/** The place that an address names; the first one if it names none that there is. */
export function placeOf(text: string, parts: number): number {
  const place = Number(text);
  return Number.isInteger(place) && place >= 0 && place < parts ? place : 0;
}
