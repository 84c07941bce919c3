/** Colours for canvases, which style sheets do not reach. */

/** A colour as the style of an element has it, with all variables and `light-dark()` worked out. */
export function resolved(element: Element, colour: string): string {
  const probe = document.createElement("i");
  probe.style.color = colour;
  element.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
