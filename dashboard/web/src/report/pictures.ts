/** Pictures that a report carries, as the heatmap draws them. */
import { multiplesOf, scaleOfMultiples } from "../heatmap/multiples";
import { bytes } from "../heatmap/bytes";
import { type Frame, type Items, type Order, type Picture, floats } from "../heatmap/picture";
import { type Scale, fitted, ofCategories, ofCounts, ofShares, quantiles } from "../heatmap/scale";
import type { Source } from "../heatmap/usePictures";
import type { AxisItems, Image, MatrixView, Pixel } from "./document";

/** The level of a pixel that is missing. */
const MISSING = 255;

/** Steps of a colour scale. */
const STEPS = 254;

/** The values of an image, row by row; NaN where it is missing. */
export function valuesOf(image: Image): Float32Array | Float64Array {
  if ("floats" in image) return floats(image.floats);
  const { values } = image;
  return Float64Array.from(bytes(image.levels), (level) => (level === MISSING ? NaN : values[level]!));
}

interface Drawn {
  readonly order: Order;
  readonly rows: AxisItems;
  readonly columns: AxisItems;
  readonly image: Image;
  readonly scale: Scale;
  readonly sampled: boolean;
}

/** A picture of all of a matrix; its positions are its pixels. */
export function pictureOf({ order, rows, columns, image, scale, sampled }: Drawn): Picture {
  const mean = valuesOf(image);
  const [height, width] = [rows.start.length, columns.start.length];
  const answer: Frame = {
    shape: [height, width],
    order,
    row_from: 0,
    row_to: height,
    column_from: 0,
    column_to: width,
    height,
    width,
    exact: isSingle(rows) && isSingle(columns),
    row_clusters: rows.borders,
    column_clusters: columns.borders,
    row_labels: rows.labels ?? [0],
    column_labels: columns.labels ?? [0],
    row_names: namesOf(rows),
    column_names: namesOf(columns),
  };
  return {
    answer,
    view: { rows: { from: 0, to: height }, columns: { from: 0, to: width } },
    scale,
    items: { rows, columns },
    approximate: !("floats" in image) && scale.unit !== "category",
    sampled,
    exposure: rows.exposure && columns.exposure ? { rows: rows.exposure, columns: columns.exposure } : undefined,
    mean,
    missing: Uint8Array.from(mean, (value) => (Number.isNaN(value) ? 255 : 0)),
  };
}

/** Whether each pixel is one item, or a part of one. */
const isSingle = ({ start, stop }: Items): boolean => start.every((first, i) => stop[i] === first + 1);

/** The name of each item, at the first of its pixels; null where pixels are of several. */
function namesOf(items: Items): readonly string[] | null {
  if (!isSingle(items)) return null;
  return items.first.map((name, i) => (i > 0 && items.start[i] === items.start[i - 1] ? "" : name));
}

/** All that there is, whatever part is asked for. */
export const held = (key: string, picture: Picture): Source => ({ key, picture: () => Promise.resolve(picture) });

/** What a pixel shows, of what a picture has. */
export const pixelOf = ({ images }: MatrixView, asked: string, initial: Pixel): Pixel =>
  (["ratio", "mean", "cells"] as const).find((each) => each === asked && pixelsOf(images, initial).includes(each)) ??
  initial;

/** What pixels can show. */
export const pixelsOf = (images: MatrixView["images"], initial: Pixel): readonly Pixel[] => [
  ...(initial === "ratio" ? (["ratio"] as const) : []),
  ...(images.mean ? (["mean"] as const) : []),
  ...(images.cells ? (["cells"] as const) : []),
];

const imageOf = ({ images }: MatrixView, pixel: Pixel): Image =>
  (pixel === "cells" ? images.cells : images.mean) ?? images.mean ?? images.cells!;

/** The scale of the reordered picture, for both orders. */
export function scaleOf(view: MatrixView, pixel: Pixel, cells: unknown, names: readonly string[]): Scale {
  if (cells === "categorical") return ofCategories(names);
  const spread = quantiles(valuesOf(imageOf(view, pixel)), STEPS);
  if (cells === "binary") return ofShares(spread);
  const scale = cells === "counts" ? ofCounts(spread) : fitted(spread);
  return pixel === "ratio" ? scaleOfMultiples(multiplesOf(viewOf(view, "reordered", "mean", scale))!) : scale;
}

/** The picture of a view of the matrix. */
export function viewOf(view: MatrixView, order: Order, pixel: Pixel, scale: Scale): Picture {
  const picture = pictureOf({ ...view, order, scale, image: imageOf(view, pixel), sampled: pixel === "cells" });
  return pixel === "ratio" ? { ...picture, multiple: multiplesOf(picture) } : picture;
}

/** Items of an axis that one pixel covers at most. */
export const mostIn = ({ start, stop }: Items): number =>
  stop.reduce((most, end, i) => Math.max(most, end - start[i]!), 1);

/** Whether a cluster is drawn wider than its share. */
export function isWidened({ clusters, borders, count }: AxisItems): boolean {
  if (!clusters) return false;
  const pixels = borders.at(-1)!;
  return clusters
    .slice(1)
    .some((end, k) => (borders[k + 1]! - borders[k]!) / pixels > (1.2 * (end - clusters[k]!)) / count);
}
