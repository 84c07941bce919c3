/** How to move about in a heatmap. */

import type { ComponentChildren } from "preact";

export const Help = ({ id, children }: { readonly id: string; readonly children?: ComponentChildren }) => (
  <p class="heatmap-help" id={id}>
    Wheel, pinch or <kbd>+</kbd> <kbd>-</kbd> zoom, with Shift the columns and with Alt the rows alone; drag or the
    arrow keys move; <kbd>0</kbd> shows the whole{children}.
  </p>
);
