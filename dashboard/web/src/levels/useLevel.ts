/** The level that is looked at: at once as the reader moves, and soon after in the address. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { type Level, type Levels, branchesOf, written } from "./level";

/** Numbers of clusters as the address has them; null: as to begin with. */
export interface LevelText {
  readonly rows: string | null;
  readonly columns: string | null;
}

/** Milliseconds that the reader rests before the address is changed. */
const REST = 200;

export interface Chosen {
  readonly level: Level;
  /** Choose a number of clusters of an axis; null: all of the run. */
  readonly choose: (axis: "rows" | "columns", number: number | null) => void;
}

/** Undefined where a run has no levels. */
export function useLevel(
  levels: Levels | null | undefined,
  text: LevelText,
  onText: (text: LevelText) => void,
): Chosen | undefined {
  const [now, setNow] = useState(text);
  const seen = useRef(text);
  const changed = text.rows !== seen.current.rows || text.columns !== seen.current.columns;
  // Somebody else changed the address.
  if (changed) seen.current = text;
  const shown = changed ? text : now;
  useEffect(() => {
    if (changed) setNow(text);
  }, [text.rows, text.columns]);
  useEffect(() => {
    if (now.rows === seen.current.rows && now.columns === seen.current.columns) return;
    const timer = window.setTimeout(() => {
      seen.current = now;
      onText(now);
    }, REST);
    return () => window.clearTimeout(timer);
  }, [now.rows, now.columns]);
  const rows = useMemo(
    () => levels && branchesOf(levels.rows, shown.rows, levels.first?.rows),
    [levels, shown.rows],
  );
  const columns = useMemo(
    () => levels && branchesOf(levels.columns, shown.columns, levels.first?.columns),
    [levels, shown.columns],
  );
  const level = useMemo(() => rows && columns && { rows, columns }, [rows, columns]);
  if (!levels || !level) return undefined;
  return {
    level,
    choose: (axis, number) =>
      setNow({ ...shown, [axis]: written(number, levels[axis], levels.first?.[axis]) }),
  };
}

/** A value once it has rested: what takes long to draw follows a slider when it stops. */
export function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(value), REST);
    return () => window.clearTimeout(timer);
  }, [value]);
  return rested;
}
