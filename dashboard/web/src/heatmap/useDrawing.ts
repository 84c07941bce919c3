/** A matrix drawn anew whenever what is shown of it changes. */

import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { resolved } from "../charts/inks";
import { type Drawing, type Inks, draw } from "./draw";
import type { Pictures } from "./usePictures";
import type { Size, View } from "./viewport";

export function useDrawing(
  canvas: RefObject<HTMLCanvasElement>,
  outer: Size,
  view: View | undefined,
  { overview, picture }: Pictures,
  { size, margins, theme, mark, found }: Pick<Drawing, "size" | "margins" | "theme" | "mark" | "found">,
): void {
  useLayoutEffect(() => {
    if (!view || !picture || size.width < 10) return;
    const element = canvas.current!;
    const density = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(outer.width * density), Math.round(outer.height * density)];
    if (element.width !== width) element.width = width;
    if (element.height !== height) element.height = height;
    const context = element.getContext("2d")!;
    context.setTransform(density, 0, 0, density, 0, 0);
    const layers = overview && overview !== picture ? [overview, picture] : [picture];
    draw(context, { view, pictures: layers, size, margins, theme, inks: inksOf(element), mark, found });
  }, [view, picture, overview, outer, margins, theme, mark?.row, mark?.column, found?.row, found?.column]);
}

function inksOf(element: Element): Inks {
  const of = (name: string): string => resolved(element.parentElement!, `var(--${name})`);
  return {
    ground: of("ground"),
    ink: of("ink"),
    soft: of("soft"),
    rule: of("rule"),
    accent: of("accent"),
    font: getComputedStyle(element).fontFamily,
  };
}
