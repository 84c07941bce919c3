/** The matrix as it was read and sorted by cluster, beside each other. */
import { useMemo } from "preact/hooks";

import { Drawn, Zoom } from "../heatmap/Drawn";
import { Help } from "../heatmap/Help";
import { Legend, Spreads } from "../heatmap/Legend";
import "../heatmap/heatmap.css";
import { type Order, type Picture, clustersAt } from "../heatmap/picture";
import { readOut } from "../heatmap/readOut";
import type { Scale, Spread } from "../heatmap/scale";
import { type Part, TOP, innerWidth, useHeatmap } from "../heatmap/useHeatmap";
import * as format from "../ui/format";
import { useDark } from "../ui/theme";
import type { BlockReadOut, MatrixDocument, Pixel, RunFigures } from "./document";
import { held, isWidened, mostIn, viewOf } from "./pictures";

interface Props {
  readonly run: RunFigures;
  readonly matrix: MatrixDocument;
  readonly pixel: Pixel;
  readonly scale: Scale;
  readonly parts: Readonly<Record<Order, Part>>;
  readonly onPixel: (pixel: Pixel) => void;
  readonly onSpread: (spread: Spread) => void;
  readonly onPart: (order: Order, part: Part) => void;
}

const HELP = "heatmap-help";

export function MatrixSection({ run, matrix, pixel, scale, parts, onPixel, onSpread, onPart }: Props) {
  const theme = useDark() ? "dark" : "light";
  const pictures = useMemo(
    () => ({
      original: viewOf(matrix.original, "original", pixel, scale),
      reordered: viewOf(matrix.reordered, "reordered", pixel, scale),
    }),
    [matrix, pixel, scale],
  );
  return (
    <section aria-labelledby="matrix-title" class="heatmap">
      <div class="bar">
        <h2 id="matrix-title">
          Matrix {run.dimension > 1 && <small>first of {run.dimension} components</small>}
        </h2>
        <div class="controls">
          {matrix.reordered.images.cells && (
            <fieldset class="segments">
              <legend>Each pixel shows</legend>
              {(["mean", "cells"] as const).map((each) => (
                <label key={each}>
                  <input
                    type="radio"
                    name="pixel"
                    value={each}
                    checked={pixel === each}
                    onChange={() => onPixel(each)}
                  />
                  <span>{each === "mean" ? "Mean of its cells" : "One cell"}</span>
                </label>
              ))}
            </fieldset>
          )}
          <Spreads spread={scale.spread} onSpread={onSpread} />
        </div>
      </div>
      <div class="pair">
        {(["original", "reordered"] as const).map((order) => (
          <Plot
            key={order}
            order={order}
            picture={pictures[order]}
            blocks={matrix.blocks}
            part={parts[order]}
            onPart={(part) => onPart(order, part)}
          />
        ))}
      </div>
      <Legend picture={missingOf(pictures.reordered, pictures.original)} theme={theme} />
      <p class="note">{notesOf(matrix, pixel)}</p>
      <Help id={HELP} />
    </section>
  );
}

/** One picture for the legend of both: cells may be missing in either. */
const missingOf = (picture: Picture, other: Picture): Picture =>
  picture.missing?.some((share) => share > 0) ? picture : { ...picture, missing: other.missing };

function Plot({
  order,
  picture,
  blocks,
  part,
  onPart,
}: {
  order: Order;
  picture: Picture;
  blocks: BlockReadOut | null;
  part: Part;
  onPart: (part: Part) => void;
}) {
  const source = useMemo(() => held(`${order} ${picture.sampled}`, picture), [picture]);
  const { height, width } = picture.answer;
  // Wide matrices stay low and tall ones high, within bounds.
  const tall = (across: number, below: number): number => {
    const inner = innerWidth(across);
    return TOP + Math.min(Math.max((inner * height) / width, 0.5 * inner), 1.05 * inner, 620) + below;
  };
  const spread = picture.scale.spread;
  const map = useHeatmap({ source, order, component: 0, spread, part, onPart, tall });
  const told = (overview: Picture | undefined, drawn: Picture, row: number, column: number): string[] => {
    const lines = readOut(overview, drawn, row, column);
    const block = order === "reordered" ? blockAt(blocks, drawn, row, column) : undefined;
    return block === undefined ? lines : [...lines.slice(0, 2), block, ...lines.slice(2)];
  };
  const title = order === "original" ? "As read" : "Reordered";
  return (
    <figure data-view={order}>
      <div class="plot-head">
        <figcaption>
          <b>{title}</b> <small>{order === "original" ? "file order" : "sorted by cluster"}</small>
        </figcaption>
        <Zoom map={map} of={order === "original" ? "as read" : "reordered"} />
      </div>
      <Drawn map={map} label={`Heatmap of the matrix, ${title.toLowerCase()}`} help={HELP} told={told} />
    </figure>
  );
}

/** "block 0, 2: 3.1 ± 0.2": what is known of the block at a place; undefined where that is several. */
function blockAt(blocks: BlockReadOut | null, { items }: Picture, row: number, column: number): string | undefined {
  const [rows, columns] = [items && clustersAt(items.rows, row), items && clustersAt(items.columns, column)];
  if (!blocks || !rows || !columns || rows[0] !== rows[1] || columns[0] !== columns[1]) return undefined;
  const [k, l] = [rows[0], columns[0]];
  const at = (matrix: BlockReadOut["mean"]): string => format.number(matrix[k]?.[l]);
  const { mean, sd, intervals } = blocks;
  const between = intervals
    ? `; with 95 %: mean ${intervals.mean.map(at).join(" to ")}, sd ${intervals.sd.map(at).join(" to ")}`
    : "";
  return `block ${k}, ${l}: mean ± sd ${at(mean)} ± ${at(sd)}${between}`;
}

function notesOf({ original, reordered }: MatrixDocument, pixel: Pixel): string {
  const [rows, columns] = (["rows", "columns"] as const).map((axis) =>
    Math.max(mostIn(original[axis]), mostIn(reordered[axis])),
  ) as [number, number];
  const notes = [];
  if (rows * columns > 1) {
    const extent = `up to ${format.plural(rows, "row")}${columns > 1 ? ` × ${format.plural(columns, "column")}` : ""}`;
    notes.push(pixel === "mean" ? `A pixel is the mean of ${extent}.` : `A pixel is one cell out of ${extent}.`);
  }
  if (isWidened(reordered.rows) || isWidened(reordered.columns)) {
    notes.push("Small clusters are drawn wider than their share, so that every block can be seen.");
  }
  return notes.join(" ");
}
