/** What the colours mean. */

import { useEffect, useRef } from "preact/hooks";
import { format } from "../ui";
import { STEPS, type Theme, colourTable } from "./colours";
import type { Picture } from "./picture";
import { legendTicks } from "./scale";

export function Legend({ picture, theme }: { readonly picture: Picture | undefined; readonly theme: Theme }) {
  const stripe = useRef<HTMLCanvasElement>(null);
  const scale = picture?.answer.scale ?? [];
  useEffect(() => {
    const context = stripe.current?.getContext("2d");
    if (!context) return;
    const table = colourTable(theme);
    const image = new ImageData(STEPS, 1);
    for (let i = 0; i < STEPS; i++) image.data.set([table[3 * i]!, table[3 * i + 1]!, table[3 * i + 2]!, 255], 4 * i);
    context.putImageData(image, 0, 0);
  }, [theme, scale.length > 0]);
  const ticks = legendTicks(scale, 5);
  const missing = picture?.missing?.some((share) => share > 0) ?? picture?.missing === null;
  return (
    <div class="heatmap-legend">
      {ticks.length > 0 ? (
        <div
          class="heatmap-ramp"
          role="img"
          aria-label={`Colours by rank: ${ticks.map(({ at, value }) => `${Math.round(100 * at)} % of the cells are at most ${format.number(value)}`).join(", ")}.`}
        >
          <canvas ref={stripe} width={STEPS} height={1} />
          <div class="heatmap-ticks" aria-hidden="true">
            {ticks.map(({ at, value }) => (
              <span key={at} style={{ left: `${100 * at}%` }}>
                {format.number(value)}
              </span>
            ))}
          </div>
        </div>
      ) : (
        <p>No cell of this matrix is observed.</p>
      )}
      {ticks.length > 0 && <p>Colours by rank: between two values lies a quarter of the cells.</p>}
      {missing && (
        <p class="heatmap-missing">
          <i /> missing
        </p>
      )}
    </div>
  );
}
