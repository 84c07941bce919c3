import { useEffect, useRef, useState } from "preact/hooks";

import { STATES, type State } from "../../api/types";
import { SearchField, stateWord } from "../../ui";
import type { Filter } from "./loading";

/** Milliseconds without a key before it is searched. */
const PAUSE = 250;

interface Props {
  filter: Filter;
  onChange: (changes: Partial<Filter>) => void;
  /** Hidden rather than left out, it keeps what was typed and is about to be searched. */
  hidden: boolean;
}

export function Filters({ filter, onChange, hidden }: Props) {
  const states = filter.state === "" ? [] : filter.state.split(",");
  const flip = (state: State): void => {
    const next = STATES.filter((each) => (each === state) !== states.includes(each));
    onChange({ state: next.join(",") });
  };
  return (
    <div class="filters" hidden={hidden}>
      <Search text={filter.search} onSearch={(search) => onChange({ search })} />
      <fieldset class="segments apart">
        <legend class="spoken">States that are shown</legend>
        {STATES.map((state) => (
          <label key={state}>
            <input type="checkbox" checked={states.includes(state)} onChange={() => flip(state)} />
            <span>{stateWord(state)}</span>
          </label>
        ))}
      </fieldset>
    </div>
  );
}

function Search({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const timer = useRef<number>();
  // The address may change without a key, by the back button.
  useEffect(() => {
    if (timer.current === undefined) setTyped(text);
  }, [text]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const type = (now: string): void => {
    setTyped(now);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      timer.current = undefined;
      onSearch(now.trim());
    }, PAUSE);
  };
  return <SearchField of="runs" value={typed} onType={type} />;
}
