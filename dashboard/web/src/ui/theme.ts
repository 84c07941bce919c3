/** Dark or light: as the system has it, until the reader says otherwise. */
import { useEffect, useState } from "preact/hooks";

export type Theme = "auto" | "light" | "dark";

const KEY = "disnplbm-theme";
const ORDER: readonly Theme[] = ["auto", "light", "dark"];
const CHANGED = "disnplbm:theme";

const system = window.matchMedia("(prefers-color-scheme: dark)");

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

/** What is chosen, and a function that chooses the next. */
export function useTheme(): [Theme, () => void] {
  const [now, setNow] = useState(theme);
  const next = (): void => {
    theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length]!;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // It holds for this visit.
    }
    apply();
    setNow(theme);
    window.dispatchEvent(new Event(CHANGED));
  };
  return [now, next];
}

/** Whether it is dark at this moment; for canvases, which CSS does not reach. */
export function useDark(): boolean {
  const read = (): boolean => theme === "dark" || (theme === "auto" && system.matches);
  const [dark, setDark] = useState(read);
  useEffect(() => {
    const changed = (): void => setDark(read());
    system.addEventListener("change", changed);
    window.addEventListener(CHANGED, changed);
    return () => {
      system.removeEventListener("change", changed);
      window.removeEventListener(CHANGED, changed);
    };
  }, []);
  return dark;
}
