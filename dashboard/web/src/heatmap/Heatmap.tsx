/** The matrix of a finished run: reordered by cluster or as it was read, from the whole down to single cells. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Level } from "../levels/level";
import { Drawn, Zoom } from "./Drawn";
import { Help } from "./Help";
import { Legend, Spreads } from "./Legend";
import type { Found } from "./draw";
import { fetched } from "./fetched";
import "./heatmap.css";
import type { Order, Picture } from "./picture";
import { SavePicture } from "./SavePicture";
import type { Spread } from "./scale";
import { type Part, useHeatmap } from "./useHeatmap";

/** How the matrix is looked at, as the address has it. */
export interface Look extends Part {
  readonly order: Order;
  readonly component: number;
  /** null: as they show most. */
  readonly spread: Spread | null;
  /** Whether counts are shown as they are, and not beside what is expected. */
  readonly raw: boolean;
}

interface Props {
  readonly run: string;
  /** Its name. */
  readonly title: string;
  /** The level that the clusters are shown at; undefined: all of the run. */
  readonly level: Level | undefined;
  /** Known classes of rows and of columns. */
  readonly classes: Picture["classes"];
  /** A row and a column that were looked for, by position. */
  readonly found: Found;
  /** What stands above the matrix. */
  readonly children?: ComponentChildren;
  readonly dimension: number;
  readonly look: Look;
  readonly onLook: (look: Look) => void;
}

const tall = (width: number): number =>
  Math.max(260, Math.min(Math.max(300, 0.62 * width), 0.74 * window.innerHeight, 680));

export function Heatmap({ run, title, dimension, level, classes, found, look, onLook, children }: Props) {
  const { order, component, spread, raw } = look;
  const source = useMemo(() => fetched(run), [run]);
  const onPart = (part: Part): void => onLook({ ...look, ...part });
  const trees = level !== undefined && order === "reordered";
  const map = useHeatmap({ source, order, component, spread, compare: !raw, part: look, onPart, level, classes, found, trees, tall });
  const setOrder = (to: Order): void => onLook({ ...look, order: to });
  const setRaw = (to: boolean): void => onLook({ ...look, raw: to });
  const picture = map.overview ?? map.picture;
  const comparable = picture?.exposure !== undefined;

  // Keys from anywhere on the page.
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const at = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || at.isContentEditable) return;
      if (event.key === "o") setOrder(order === "reordered" ? "original" : "reordered");
      if (event.key === "e" && comparable) setRaw(!raw);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [order, look, comparable]);

  return (
    <div class="heatmap">
      {children}
      <div class="heatmap-bar">
        <fieldset class="segments">
          <legend class="spoken">Order of rows and columns</legend>
          {(["reordered", "original"] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="order" checked={order === each} onChange={() => setOrder(each)} />
              <span>{each === "reordered" ? "By cluster" : "As it was read"}</span>
            </label>
          ))}
        </fieldset>
        {dimension > 1 && (
          <label class="heatmap-component">
            Number of each cell{" "}
            <select
              value={component}
              onChange={(event) => onLook({ ...look, component: Number(event.currentTarget.value) })}
            >
              {Array.from({ length: dimension }, (_, i) => (
                <option key={i} value={i}>
                  {i}
                </option>
              ))}
            </select>
          </label>
        )}
        {comparable && (
          <fieldset class="segments">
            <legend>Each pixel shows</legend>
            {[false, true].map((each) => (
              <label key={String(each)}>
                <input type="radio" name="raw" checked={raw === each} onChange={() => setRaw(each)} />
                <span>{each ? "Mean count" : "Times expected"}</span>
              </label>
            ))}
          </fieldset>
        )}
        <Spreads scale={picture?.scale} onSpread={(to) => onLook({ ...look, spread: to })} />
        <SavePicture map={map} title={title} trees={trees} />
        <Zoom map={map} />
      </div>
      <Drawn map={map} label="Heatmap of the matrix" help="heatmap-help" />
      <Legend picture={picture} theme={map.theme} />
      <Help id="heatmap-help">, <kbd>o</kbd> the other order{comparable && (
        <>
          , <kbd>e</kbd> counts as they are or beside what is expected
        </>
      )}</Help>
    </div>
  );
}
