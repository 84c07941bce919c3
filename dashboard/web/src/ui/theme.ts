/** Dark or light: as the system has it, until the reader says otherwise. */
import { useEffect, useState } from "preact/hooks";

export type Theme = "auto" | "light" | "dark";

const KEY = "disnplbm-theme";
const ORDER: readonly Theme[] = ["auto", "light", "dark"];
const CHANGED = "disnplbm:theme";

const system = window.matchMedia("(prefers-color-scheme: dark)");
const paper = window.matchMedia("print");

function kept(): Theme {
  try {
    const found = localStorage.getItem(KEY) as Theme | null;
    return found !== null && ORDER.includes(found) ? found : "auto";
  } catch {
    return "auto";
  }
}

let theme = kept();

function apply(): void {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

apply();

/** Choose a theme for this visit. */
export function chooseTheme(chosen: string): void {
  theme = ORDER.find((each) => each === chosen) ?? "auto";
  apply();
  window.dispatchEvent(new Event(CHANGED));
}

/** What is chosen, and a function that chooses the next, for later visits too. */
export function useTheme(): [Theme, () => void] {
  const [now, setNow] = useState(theme);
  useEffect(() => {
    const changed = (): void => setNow(theme);
    window.addEventListener(CHANGED, changed);
    return () => window.removeEventListener(CHANGED, changed);
  }, []);
  const next = (): void => {
    chooseTheme(ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length]!);
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // It holds for this visit.
    }
  };
  return [now, next];
}

/** Whether it is dark at this moment, on paper never; for canvases, which CSS does not reach. */
export function useDark(): boolean {
  const read = (): boolean => !paper.matches && (theme === "dark" || (theme === "auto" && system.matches));
  const [dark, setDark] = useState(read);
  useEffect(() => {
    const changed = (): void => setDark(read());
    const printed = (): void => setDark(false);
    for (const media of [system, paper]) media.addEventListener("change", changed);
    window.addEventListener(CHANGED, changed);
    window.addEventListener("beforeprint", printed);
    window.addEventListener("afterprint", changed);
    return () => {
      for (const media of [system, paper]) media.removeEventListener("change", changed);
      window.removeEventListener(CHANGED, changed);
      window.removeEventListener("beforeprint", printed);
      window.removeEventListener("afterprint", changed);
    };
  }, []);
  return dark;
}
