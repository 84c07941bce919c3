/** A tree of clusters, cut at a number of branches: the twin of disnplbm/posterior/trees/cutting.py. */

/** How the clusters of an axis merge, two by two. */
export interface Tree {
  /** Members of each of the K clusters. */
  readonly sizes: readonly number[];
  /** Merge t joins these two nodes into node K + t; the first K nodes are the clusters. */
  readonly pairs: readonly (readonly [number, number])[];
  /** Of each merge. */
  readonly heights: readonly number[];
  /** Members that a branch of a cut has at least. */
  readonly least: number;
}

/** In place of a branch, for clusters that are set aside. */
export const ASIDE = -1;

export interface Cut {
  /** Branch of each cluster, the branch of the most members first; {@link ASIDE} for what is set aside. */
  readonly labels: readonly number[];
  /** Members of each branch. */
  readonly sizes: readonly number[];
  /** Node of the tree that each branch is. */
  readonly nodes: readonly number[];
  /** Members that are set aside. */
  readonly aside: number;
}

/** Members of every node. */
function membersOf({ sizes, pairs }: Tree): number[] {
  const members = [...sizes];
  for (const [a, b] of pairs) members.push(members[a]! + members[b]!);
  return members;
}

/** Undo the merges, the last one first, until there are so many branches; what is too small for one is set aside. */
function branchesOf(tree: Tree, members: readonly number[], number: number): Set<number> {
  const k = tree.sizes.length;
  const found = new Set([2 * k - 2]);
  for (let t = k - 2; t >= 0 && found.size < number; t--) {
    if (!found.has(k + t)) continue;
    const large = tree.pairs[t]!.filter((node) => members[node]! >= tree.least);
    // Two parts that are both too small stay together.
    if (large.length === 0) continue;
    found.delete(k + t);
    for (const node of large) found.add(node);
  }
  return found;
}

/** Branches that the tree can be cut into. */
export const mostBranches = (tree: Tree): number => branchesOf(tree, membersOf(tree), Infinity).size;

/** Cut a tree into so many branches, or as many as there are. */
export function cut(tree: Tree, number: number): Cut {
  const members = membersOf(tree);
  const nodes = [...branchesOf(tree, members, number)].sort((a, b) => members[b]! - members[a]! || a - b);
  const labels = new Array<number>(tree.sizes.length).fill(ASIDE);
  nodes.forEach((node, label) => {
    for (const cluster of clustersBelow(tree, node)) labels[cluster] = label;
  });
  const sizes = nodes.map((node) => members[node]!);
  const aside = members.at(-1)! - sizes.reduce((sum, size) => sum + size, 0);
  return { labels, sizes, nodes, aside };
}

/** No cut at all: each cluster by itself. */
export function fine({ sizes }: Pick<Tree, "sizes">): Cut {
  const each = sizes.map((_, cluster) => cluster);
  return { labels: each, sizes, nodes: each, aside: 0 };
}

function clustersBelow({ sizes, pairs }: Tree, node: number): number[] {
  const waiting = [node];
  const found = [];
  while (waiting.length > 0) {
    const last = waiting.pop()!;
    if (last < sizes.length) found.push(last);
    else waiting.push(...pairs[last - sizes.length]!);
  }
  return found;
}
