/** Counts beside what the totals of their rows and columns let expect. */
import { type Picture, itemsIn } from "./picture";
import { type Scale, ofMultiples, quantiles } from "./scale";

/** Steps of a colour scale. */
const STEPS = 100;

/**
 * How many times what is expected each pixel has: (counted + 1) / (expected + 1).
 *
 * That is the posterior mean under the model's own prior. It keeps pixels pale of which too little is expected to say.
 */
export function multiplesOf(picture: Picture): Float32Array | undefined {
  const { answer, mean, missing, exposure } = picture;
  if (!exposure) return undefined;
  const [tall, wide] = [covered(picture, "rows"), covered(picture, "columns")];
  const found = new Float32Array(mean.length);
  for (let i = 0; i < answer.height; i++) {
    for (let j = 0; j < answer.width; j++) {
      const at = i * answer.width + j;
      const cells = tall[i]! * wide[j]! * (1 - (missing?.[at] ?? 0) / 255);
      const expected = exposure.rows[i]! * exposure.columns[j]!;
      found[at] = (mean[at]! * cells + 1) / (expected * cells + 1);
    }
  }
  return found;
}

/** How many items each pixel of an axis covers. */
function covered({ answer, view, items }: Picture, axis: "rows" | "columns"): number[] {
  const pixels = axis === "rows" ? answer.height : answer.width;
  const { from, to } = view[axis];
  return Array.from({ length: pixels }, (_, i) => {
    if (items) return itemsIn(items[axis], { from: i, to: i + 1 });
    return Math.ceil(((i + 1) * (to - from)) / pixels) - Math.ceil((i * (to - from)) / pixels);
  });
}

/** The colours of a picture of all of a matrix, compared with what is expected. */
export const scaleOfMultiples = (multiples: Float32Array): Scale => ofMultiples(quantiles(multiples, STEPS));

/** The same picture in colours of multiples. */
export const compared = (picture: Picture, scale: Scale): Picture => ({
  ...picture,
  scale,
  multiple: multiplesOf(picture),
});
