/** One stop of the tab key for the buttons of a table, among which the arrow keys move. */
import { type RefObject } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";

/** Buttons of a line: a row of a table. */
const LINE = "tr";

/** Make the buttons of an element one stop, whatever they are after each drawing. */
export function useOneStop(box: RefObject<HTMLElement>): void {
  useLayoutEffect(() => {
    const buttons = buttonsOf(box.current!);
    const now = buttons.find((each) => each === document.activeElement) ?? buttons.find(({ tabIndex }) => tabIndex === 0);
    enter(buttons, now ?? buttons[0]);
  });
  useEffect(() => {
    const element = box.current!;
    const press = (event: KeyboardEvent): void => {
      if (!(event.target instanceof HTMLButtonElement) || event.ctrlKey || event.metaKey || event.altKey) return;
      const next = nextOf(element, event.target, event.key);
      if (!next) return;
      event.preventDefault();
      next.focus();
    };
    const focused = ({ target }: FocusEvent): void => {
      if (target instanceof HTMLButtonElement) enter(buttonsOf(element), target);
    };
    element.addEventListener("keydown", press);
    element.addEventListener("focusin", focused);
    return () => {
      element.removeEventListener("keydown", press);
      element.removeEventListener("focusin", focused);
    };
  }, []);
}

const buttonsOf = (box: HTMLElement): HTMLButtonElement[] => [...box.querySelectorAll("button")];

function enter(buttons: readonly HTMLButtonElement[], stop: HTMLButtonElement | undefined): void {
  for (const each of buttons) {
    const wanted = each === stop ? 0 : -1;
    if (each.tabIndex !== wanted) each.tabIndex = wanted;
  }
}

/** The button that a key leads to; undefined for other keys, and at the edge. */
function nextOf(box: HTMLElement, from: HTMLButtonElement, key: string): HTMLButtonElement | undefined {
  const lines = [...box.querySelectorAll<HTMLElement>(LINE)].map(buttonsOf).filter(({ length }) => length > 0);
  const line = lines.findIndex((each) => each.includes(from));
  const at = lines[line]?.indexOf(from) ?? -1;
  if (at < 0) return undefined;
  const inLine = (of: readonly HTMLButtonElement[] | undefined): HTMLButtonElement | undefined =>
    of?.[Math.min(at, of.length - 1)];
  switch (key) {
    case "ArrowLeft":
      return lines[line]![at - 1];
    case "ArrowRight":
      return lines[line]![at + 1];
    case "ArrowUp":
      return inLine(lines[line - 1]);
    case "ArrowDown":
      return inLine(lines[line + 1]);
    case "Home":
      return lines[line]![0];
    case "End":
      return lines[line]!.at(-1);
    default:
      return undefined;
  }
}
