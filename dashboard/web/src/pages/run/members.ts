/** rows.csv or columns.csv: who is in each cluster, and how sure that is. */

export interface Cluster {
  /** Names of the first of them. */
  readonly names: readonly string[];
  /** Mean confidence of its members, 0 to 1; undefined without draws. */
  readonly confidence: number | undefined;
}

/** Names that are kept of a cluster. */
const MOST = 8;

/** A record is a name, which may be quoted, a label, perhaps a confidence, and perhaps a label in the runner-up. */
const RECORD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*)),(\d+)(?:,([\d.eE+-]*)(?:,\d+)?)?(?:\r?\n|$)/g;

/** Clusters in the order of their labels. */
export function membersOf(text: string): Cluster[] {
  const names: string[][] = [];
  const sums: [sum: number, count: number][] = [];
  for (const [, quoted, plain, label, confidence] of text.matchAll(RECORD)) {
    const cluster = Number(label);
    const known = (names[cluster] ??= []);
    if (known.length < MOST) known.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    const sum = (sums[cluster] ??= [0, 0]);
    if (confidence) {
      sum[0] += Number(confidence);
      sum[1] += 1;
    }
  }
  return names.map((known, cluster) => {
    const [sum, count] = sums[cluster]!;
    return { names: known, confidence: count > 0 ? sum / count : undefined };
  });
}
