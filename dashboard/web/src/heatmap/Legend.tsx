/** What the colours mean. */

import { useLayoutEffect, useRef } from "preact/hooks";
import * as format from "../ui/format";
import { coloursOf } from "../classes/classes";
import { STEPS, type Theme, colour, colourTable } from "./colours";
import type { Picture } from "./picture";
import { SPREADS, type Scale, type Spread, type Tick, legendTexts, legendTicks, shareOf, spreadsOf, written } from "./scale";

const SAID: Record<Spread, string> = { value: "Value", rank: "Rank", diverging: "Diverging" };

/** Choose how colours are spread; nothing where the scale has a way of its own. */
export function Spreads({
  scale,
  onSpread,
}: {
  readonly scale: Scale | undefined;
  readonly onSpread: (spread: Spread) => void;
}) {
  if (scale?.unit === "multiple" || scale?.unit === "category") return null;
  return (
    <fieldset class="segments">
      <legend>Colours by</legend>
      {(scale ? spreadsOf(scale) : SPREADS).map((each) => (
        <label key={each}>
          <input
            type="radio"
            name="colours"
            value={each}
            checked={scale?.spread === each}
            onChange={() => onSpread(each)}
          />
          <span>{SAID[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function Legend({ picture, theme }: { readonly picture: Picture | undefined; readonly theme: Theme }) {
  const ticks = picture ? legendTicks(picture.scale, 5) : [];
  const { unit, names } = picture?.scale ?? {};
  const missing = picture?.missing?.some((share) => share > 0) ?? picture?.missing === null;
  return (
    <div class="heatmap-legend">
      {picture && names && <Categories of="Categories" scale={picture.scale} names={names} theme={theme} />}
      {picture && ticks.length > 0 && <Ramp scale={picture.scale} ticks={ticks} theme={theme} />}
      {picture && ticks.length === 0 && !names && <p>No cell of this matrix is observed.</p>}
      {unit === "multiple" && (
        <p>
          Times the expected count: 1 × is what the totals of rows and columns, or the factors that were given, let
          expect. Where that is little, colours stay pale.
        </p>
      )}
      {unit === "share" && <p>Share of ones.</p>}
      {ticks.length > 0 && picture?.scale.spread === "rank" && (
        <p>
          Colours by rank: between two values lies a quarter of the cells
          {unit === "count" && picture.scale.quantiles[0] === 0 && " that are not 0"}.
        </p>
      )}
      {ticks.length > 0 && picture?.scale.middle !== undefined && (
        <p>Colours diverge from the median, {written(picture.scale, picture.scale.middle, 3)}.</p>
      )}
      {(["rows", "columns"] as const).map((axis) => {
        const known = picture?.classes?.[axis];
        return known && <Categories key={axis} of={`Classes of the ${axis}`} scale={coloursOf(known)} names={known.names} theme={theme} />;
      })}
      {missing && (
        <p class="heatmap-missing">
          <i /> missing
        </p>
      )}
    </div>
  );
}

/** Categories that a legend names. */
const MOST = 12;

/** A colour beside the name of each category. */
function Categories({ of, scale, names, theme }: { of: string; scale: Scale; names: readonly string[]; theme: Theme }) {
  return (
    <div class="heatmap-categories">
      <span aria-hidden="true">{of}</span>
      <ul aria-label={of}>
        {names.slice(0, MOST).map((name, category) => (
          <li key={category}>
            <i style={{ background: colour(theme, shareOf(scale, category), scale.kind) }} /> {name}
          </li>
        ))}
        {names.length > MOST && <li>and {format.count(names.length - MOST)} more</li>}
      </ul>
    </div>
  );
}

/** The colours in a row, with the values that they stand for. */
export function Ramp({
  scale,
  ticks,
  theme,
}: {
  readonly scale: Scale;
  readonly ticks: readonly Tick[];
  readonly theme: Theme;
}) {
  const stripe = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const context = stripe.current?.getContext("2d");
    if (!context) return;
    const table = colourTable(theme, scale.kind);
    const image = new ImageData(STEPS, 1);
    for (let i = 0; i < STEPS; i++) image.data.set([table[3 * i]!, table[3 * i + 1]!, table[3 * i + 2]!, 255], 4 * i);
    context.putImageData(image, 0, 0);
  }, [theme, scale.kind]);
  const { texts, crowded } = legendTexts(scale, ticks);
  const of = scale.unit === "count" && scale.quantiles[0] === 0 ? " that are not 0" : "";
  const quarter = ({ at }: Tick, i: number): string =>
    `${Math.round(100 * at)} % of the cells${of} are at most ${texts[i]}`;
  const said =
    scale.spread === "rank"
      ? `Colours by rank: ${ticks.map(quarter).join(", ")}.`
      : `Colours by value, from ${texts[0]} to ${texts.at(-1)}.`;
  return (
    <div class="heatmap-ramp" role="img" aria-label={said}>
      <canvas ref={stripe} width={STEPS} height={1} />
      <div class="heatmap-ticks" aria-hidden="true">
        {ticks.map(
          ({ at }, i) =>
            !(crowded && i % 2 === 1) && (
              <span key={at} style={{ left: `${100 * at}%` }}>
                {texts[i]}
              </span>
            ),
        )}
      </div>
    </div>
  );
}
