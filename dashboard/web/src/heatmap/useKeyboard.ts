/** The keyboard in a matrix: a mark where the reader is, and what the keys do. */

import { useState } from "preact/hooks";
import type { Picture } from "./picture";
import { type Shape, type View, length, panned } from "./viewport";

/** By how much a key zooms. */
export const STEP = 0.7;

/** Pixels of a picture that Shift and an arrow move the mark by. */
const FAR = 10;

interface Place {
  readonly row: number;
  readonly column: number;
}

interface Asked {
  readonly view: View | undefined;
  readonly shape: Shape | undefined;
  readonly picture: Picture | undefined;
  readonly change: (next: (now: View) => View) => void;
  readonly zoom: (factor: number) => void;
  readonly showWhole: () => void;
}

export interface Keyboard {
  readonly focused: boolean;
  /** Where the mark is, while the matrix is focused. */
  readonly at: Place | undefined;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocus: (event: FocusEvent) => void;
  readonly onBlur: () => void;
}

export function useKeyboard({ view, shape, picture, change, zoom, showWhole }: Asked): Keyboard {
  const [focused, setFocused] = useState(false);
  /** Where the mark is along an axis all of which is shown; else it is in the middle. */
  const [cursor, setCursor] = useState<Partial<Place>>({});
  const at = view && shape && marked(view, shape, cursor);

  /** What is shown moves below the mark; where all is shown, the mark moves. */
  const move = (axis: "row" | "column", direction: 1 | -1, far: boolean): void => {
    if (!view || !shape || !picture || !at) return;
    const [span, items] = axis === "row" ? [view.rows, shape.rows] : [view.columns, shape.columns];
    if (span.from > 0 || span.to < items) {
      const by = direction * Math.max(far ? 0.5 : 0.1, 1 / length(span));
      change((now) => panned(now, shape, axis === "column" ? by : 0, axis === "row" ? by : 0));
      return;
    }
    const pixels = axis === "row" ? picture.answer.height : picture.answer.width;
    const step = Math.max(1, Math.round(items / pixels)) * (far ? FAR : 1);
    setCursor({ ...cursor, [axis]: Math.min(items - 1, Math.max(0, at[axis] + direction * step)) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      "+": () => zoom(STEP),
      "=": () => zoom(STEP),
      "-": () => zoom(1 / STEP),
      _: () => zoom(1 / STEP),
      "0": showWhole,
      Home: showWhole,
      Escape: () => setFocused(false),
      ArrowLeft: () => move("column", -1, event.shiftKey),
      ArrowRight: () => move("column", 1, event.shiftKey),
      ArrowUp: () => move("row", -1, event.shiftKey),
      ArrowDown: () => move("row", 1, event.shiftKey),
    };
    const act = keys[event.key];
    if (!act || !shape) return;
    event.preventDefault();
    if (event.key.startsWith("Arrow")) setFocused(true);
    act();
  };

  return {
    focused,
    at: focused ? at : undefined,
    onKeyDown,
    onFocus: (event) => setFocused((event.currentTarget as Element).matches(":focus-visible")),
    onBlur: () => setFocused(false),
  };
}

/** Where the mark is: in the middle, along an axis all of which is shown where it was moved to. */
function marked(
  view: View,
  shape: Shape,
  cursor: Partial<Place>,
): Place {
  const along = ({ from, to }: { from: number; to: number }, items: number, moved: number | undefined): number =>
    moved !== undefined && from === 0 && to === items ? moved : Math.floor((from + to) / 2);
  return {
    row: along(view.rows, shape.rows, cursor.row),
    column: along(view.columns, shape.columns, cursor.column),
  };
}
