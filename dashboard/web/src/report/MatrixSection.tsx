/** The matrix as it was read and sorted by cluster, beside each other. */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import { Drawn, Zoom } from "../heatmap/Drawn";
import { Help } from "../heatmap/Help";
import { Legend, Spreads } from "../heatmap/Legend";
import "../heatmap/heatmap.css";
import type { Found } from "../heatmap/draw";
import { type Order, type Picture, clustersAt } from "../heatmap/picture";
import { SavePicture } from "../heatmap/SavePicture";
import { readOut } from "../heatmap/readOut";
import type { Scale, Spread } from "../heatmap/scale";
import { marginsOf } from "../heatmap/margins";
import { type Part, useHeatmap } from "../heatmap/useHeatmap";
import type { Level } from "../levels/level";
import { ASIDE } from "../levels/tree";
import type { Block } from "../tables/block";
import * as format from "../ui/format";
import { useDark } from "../ui/theme";
import type { Kind } from "../tables/kind";
import { readOutOf } from "./blocks";
import type { MatrixDocument, Pixel, RunFigures } from "./document";
import { held, isWidened, mostIn, pixelsOf, viewOf } from "./pictures";

interface Props {
  readonly run: RunFigures;
  readonly kind: Kind;
  /** Of which blocks have shares. */
  readonly categories: readonly number[];
  readonly matrix: MatrixDocument;
  /** The level that the clusters are shown at; undefined: all of the run. */
  readonly level: Level | undefined;
  /** Known classes of rows and of columns. */
  readonly classes: Picture["classes"];
  /** What is known of a block of that level; undefined: what the matrix says. */
  readonly blocks: readonly Block[][] | undefined;
  /** What was looked for, by position in the reordered picture. */
  readonly pointed: Found;
  /** What stands above the pictures. */
  readonly children?: ComponentChildren;
  readonly pixel: Pixel;
  readonly scale: Scale;
  readonly parts: Readonly<Record<Order, Part>>;
  readonly onPixel: (pixel: Pixel) => void;
  readonly onSpread: (spread: Spread) => void;
  readonly onPart: (order: Order, part: Part) => void;
}

const PIXELS: Record<Pixel, string> = { ratio: "Times expected", mean: "Mean of its cells", cells: "One cell" };

const HELP = "heatmap-help";

export function MatrixSection(props: Props) {
  const { run, kind, categories, matrix, level, blocks, pixel, scale, parts, onPixel, onSpread, onPart } = props;
  const theme = useDark() ? "dark" : "light";
  const pictures = useMemo(
    () => ({
      original: viewOf(matrix.original, "original", pixel, scale),
      reordered: viewOf(matrix.reordered, "reordered", pixel, scale),
    }),
    [matrix, pixel, scale],
  );
  const tell = (k: number, l: number): string | undefined => {
    const block = blocks
      ? blocks[k]?.[l]
      : matrix.blocks
        ? readOutOf(matrix.blocks, categories, k, l)
        : undefined;
    return block && `block ${k}, ${l}: ${kind.told(block)}`;
  };
  const choices = pixelsOf(matrix.reordered.images, matrix.pixel);
  return (
    <section aria-labelledby="matrix-title" class="heatmap">
      <div class="bar">
        <h2 id="matrix-title">
          Matrix {run.dimension > 1 && <small>first of {run.dimension} components</small>}
        </h2>
        <div class="controls">
          {choices.length > 1 && (
            <fieldset class="segments">
              <legend>Each pixel shows</legend>
              {choices.map((each) => (
                <label key={each}>
                  <input
                    type="radio"
                    name="pixel"
                    value={each}
                    checked={pixel === each}
                    onChange={() => onPixel(each)}
                  />
                  <span>{PIXELS[each]}</span>
                </label>
              ))}
            </fieldset>
          )}
          <Spreads scale={scale} onSpread={onSpread} />
        </div>
      </div>
      {props.children}
      <div class="pair">
        {(["original", "reordered"] as const).map((order) => (
          <Plot
            key={order}
            order={order}
            name={run.name}
            picture={pictures[order]}
            level={level}
            classes={order === "reordered" ? props.classes : undefined}
            found={order === "reordered" ? props.pointed : undefined}
            tell={tell}
            part={parts[order]}
            onPart={(part) => onPart(order, part)}
          />
        ))}
      </div>
      <Legend picture={{ ...missingOf(pictures.reordered, pictures.original), classes: props.classes }} theme={theme} />
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
  name,
  picture,
  level,
  classes,
  found,
  tell,
  part,
  onPart,
}: {
  order: Order;
  name: string;
  picture: Picture;
  level: Level | undefined;
  classes: Picture["classes"];
  found: Found | undefined;
  tell: (k: number, l: number) => string | undefined;
  part: Part;
  onPart: (part: Part) => void;
}) {
  const source = useMemo(() => held(`${order} ${picture.sampled} ${!picture.multiple}`, picture), [picture]);
  const { height, width } = picture.answer;
  // Wide matrices stay low and tall ones high, within bounds.
  const tall = (across: number, below: number): number => {
    const { left, top } = marginsOf(across, level !== undefined);
    const inner = Math.max(0, across - left);
    return top + Math.min(Math.max((inner * height) / width, 0.5 * inner), 1.05 * inner, 620) + below;
  };
  const spread = picture.scale.spread;
  const map = useHeatmap({
    source,
    order,
    component: 0,
    spread,
    part,
    onPart,
    level,
    classes,
    found,
    trees: level !== undefined,
    tall,
  });
  const told = (overview: Picture | undefined, drawn: Picture, row: number, column: number): string[] => {
    const lines = readOut(overview, drawn, row, column);
    const place = order === "reordered" ? blockAt(drawn, row, column) : undefined;
    const block = place && tell(...place);
    return block === undefined ? lines : [...lines.slice(0, 2), block, ...lines.slice(2)];
  };
  const title = order === "original" ? "As read" : "Reordered";
  return (
    <figure data-view={order}>
      <div class="plot-head">
        <figcaption>
          <b>{title}</b> <small>{order === "original" ? "file order" : "sorted by cluster"}</small>
        </figcaption>
        {order === "reordered" && <SavePicture map={map} title={name} trees={level !== undefined} />}
        <Zoom map={map} of={order === "original" ? "as read" : "reordered"} />
      </div>
      <Drawn map={map} label={`Heatmap of the matrix, ${title.toLowerCase()}`} help={HELP} told={told} />
    </figure>
  );
}

/** The clusters at a place; undefined where they are several, or it is set aside. */
function blockAt({ items }: Picture, row: number, column: number): readonly [k: number, l: number] | undefined {
  const [rows, columns] = [items && clustersAt(items.rows, row), items && clustersAt(items.columns, column)];
  if (rows?.length !== 1 || columns?.length !== 1) return undefined;
  const [k, l] = [rows[0]!, columns[0]!];
  return k === ASIDE || l === ASIDE ? undefined : [k, l];
}

function notesOf({ original, reordered }: MatrixDocument, pixel: Pixel): string {
  const [rows, columns] = (["rows", "columns"] as const).map((axis) =>
    Math.max(mostIn(original[axis]), mostIn(reordered[axis])),
  ) as [number, number];
  const notes = [];
  if (rows * columns > 1) {
    const extent = `up to ${format.plural(rows, "row")}${columns > 1 ? ` × ${format.plural(columns, "column")}` : ""}`;
    notes.push(pixel === "cells" ? `A pixel is one cell out of ${extent}.` : `A pixel is the mean of ${extent}.`);
  }
  if (pixel === "ratio") {
    notes.push("Colours are of (counted + 1) / (expected + 1).");
  }
  if (isWidened(reordered.rows) || isWidened(reordered.columns)) {
    notes.push("Small clusters are drawn wider than their share, so that every block can be seen.");
  }
  return notes.join(" ");
}
