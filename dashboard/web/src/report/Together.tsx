/** How often draws put two rows, or two columns, into one cluster. */
import { useMemo } from "preact/hooks";

import { Drawn } from "../heatmap/Drawn";
import { Ramp } from "../heatmap/Legend";
import { colour, inkOn } from "../heatmap/colours";
import { type Picture, itemsIn, spotAt } from "../heatmap/picture";
import { placed } from "../heatmap/readOut";
import { SHARES, legendTicks } from "../heatmap/scale";
import { marginsOf } from "../heatmap/margins";
import { type Part, useHeatmap } from "../heatmap/useHeatmap";
import * as format from "../ui/format";
import { useDark } from "../ui/theme";
import type { AxisCertainty } from "./document";
import { held, pictureOf } from "./pictures";

const ALL: Part = { rows: null, columns: null };

export function Together({ axes }: { axes: readonly AxisCertainty[] }) {
  const theme = useDark() ? "dark" : "light";
  return (
    <>
      <h3 id="together-title">
        Together <small>how often draws put two in one cluster, sorted by the reported clusters</small>
      </h3>
      <div class="heatmap-legend">
        <Ramp scale={SHARES} ticks={legendTicks(SHARES, 3)} theme={theme} />
      </div>
      <div class="together">
        {axes.map((each) => (
          <div key={each.axis}>
            {each.picture ? (
              <Pairs axis={each.axis} picture={each.picture} />
            ) : (
              <p class="note">There are too many {each.axis}s for a picture of any two.</p>
            )}
            <Clusters found={each} theme={theme} />
          </div>
        ))}
      </div>
    </>
  );
}

function Pairs({ axis, picture: { items, image } }: { axis: string; picture: NonNullable<AxisCertainty["picture"]> }) {
  const source = useMemo(() => {
    const drawn = { order: "reordered", rows: items, columns: items, image, scale: SHARES, sampled: false } as const;
    return held(axis, pictureOf(drawn));
  }, [items, image]);
  const tall = (across: number, below: number): number => {
    const { left, top } = marginsOf(across, false);
    return top + Math.max(0, across - left) + below;
  };
  const map = useHeatmap({
    source,
    order: "reordered",
    component: 0,
    spread: "value",
    part: ALL,
    onPart: () => undefined,
    tall,
  });
  const told = (_: Picture | undefined, picture: Picture, row: number, column: number): string[] => {
    const spot = spotAt(picture, row, column);
    if (!spot || !picture.items) return [];
    const pairs = itemsIn(picture.items.rows, spot.rows) * itemsIn(picture.items.columns, spot.columns);
    return [
      placed(`one ${axis}`, picture.items.rows, row),
      placed(`another ${axis}`, picture.items.columns, column),
      `together in ${Math.round(100 * spot.value)} % of the draws${pairs > 1 ? ", on average" : ""}`,
    ];
  };
  return (
    <figure data-view={`${axis}-similarity`} class="heatmap">
      <figcaption>
        <b>{axis === "row" ? "Rows" : "Columns"}</b> <small>two by two</small>
      </figcaption>
      <Drawn
        map={map}
        label={`Co-clustering matrix of the ${axis}s: how often two of them are together`}
        help="heatmap-help"
        told={told}
      />
    </figure>
  );
}

/** Clusters against each other. */
function Clusters({ found, theme }: { found: AxisCertainty; theme: "light" | "dark" }) {
  const { axis, clusters, total } = found;
  const cut = total > clusters.length ? `; the ${clusters.length} largest of ${format.count(total)}` : "";
  return (
    <div
      class="wide"
      tabIndex={0}
      role="region"
      aria-label={`How often members of two ${axis} clusters are together`}
    >
      <table class="block-table shares">
        <caption>
          {axis === "row" ? "Row" : "Column"} clusters <small>mean over pairs of members{cut}</small>
        </caption>
        <thead>
          <tr>
            <td />
            {clusters.map((_, l) => (
              <th key={l} scope="col" class="number">
                {l}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {clusters.map((line, k) => (
            <tr key={k}>
              <th scope="row" class="number">
                {k}
              </th>
              {line.map((share, l) =>
                share === null ? (
                  <td key={l} class="number no-cell" title="one member only">
                    {format.NONE}
                  </td>
                ) : (
                  <td
                    key={l}
                    class="number"
                    style={{ background: colour(theme, share), color: inkOn(theme, share) }}
                  >
                    {format.fixed(share, 2)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
