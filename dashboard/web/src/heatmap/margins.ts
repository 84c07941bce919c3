/** Room around a matrix for what is written there. */

/** Room around the matrix, in pixels. */
export interface Margins {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
  /** Of it, room for the trees of the clusters; 0: they are not drawn. */
  readonly tree: { readonly beside: number; readonly above: number };
  /** Room for the bars of known classes, next to the matrix; 0: there is none. */
  readonly bar: { readonly beside: number; readonly above: number };
}

/** Room above the matrix for what is written there, and for a tree. */
const [TOP, TREE_ABOVE] = [26, 30];

/** Room for a tree beside the matrix. */
const TREE_BESIDE = 40;

/** Room for a bar of known classes. */
const BAR = 11;

/** A narrower drawing has no room for trees. */
const NARROW = 440;

/** Room around the matrix, in a drawing of some width. */
export function marginsOf(width: number, trees: boolean, bottom = 0, bars = { beside: false, above: false }): Margins {
  const drawn = trees && width >= NARROW;
  const tree = drawn ? { beside: TREE_BESIDE, above: TREE_ABOVE } : { beside: 0, above: 0 };
  const bar = { beside: bars.beside ? BAR : 0, above: bars.above ? BAR : 0 };
  return {
    left: (width < 480 ? 54 : 84) + tree.beside + bar.beside,
    top: TOP + tree.above + bar.above,
    bottom,
    tree,
    bar,
  };
}
