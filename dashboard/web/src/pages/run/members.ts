/** rows.csv or columns.csv: who is in each cluster, and how sure that is. */

export interface Cluster {
  /** Names of the first of them. */
  readonly names: readonly string[];
  /** Mean confidence of its members, 0 to 1; undefined without draws. */
  readonly confidence: number | undefined;
}

/** Names that are kept of a cluster. */
const MOST = 8;

/** A record is a name, which may be quoted, a label, and other numbers or blanks. */
const RECORD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*)),(\d+)((?:,[\d.eE+-]*)*)(?:\r?\n|$)/g;

/** Rows or columns, as the file has them. */
export interface Items {
  readonly names: readonly string[];
  /** Cluster of each. */
  readonly labels: readonly number[];
  /** How sure that is, 0 to 1; NaN without draws. */
  readonly confidence: readonly number[];
}

export function itemsOf(text: string): Items {
  const [names, labels, sure]: [string[], number[], number[]] = [[], [], []];
  const head = text.slice(0, text.search(/\r?\n|$/)).split(",");
  // Of what comes after the label.
  const at = head.indexOf("confidence") - 1;
  for (const [, quoted, plain, label, rest = ""] of text.matchAll(RECORD)) {
    const confidence = at > 0 ? rest.split(",")[at] : undefined;
    names.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    labels.push(Number(label));
    sure.push(confidence ? Number(confidence) : NaN);
  }
  return { names, labels, confidence: sure };
}

/** Clusters in the order of their labels. */
export function membersOf({ names, labels, confidence }: Items): Cluster[] {
  const first: string[][] = [];
  const sums: [sum: number, count: number][] = [];
  labels.forEach((cluster, item) => {
    const known = (first[cluster] ??= []);
    if (known.length < MOST) known.push(names[item]!);
    const sum = (sums[cluster] ??= [0, 0]);
    if (Number.isNaN(confidence[item]!)) return;
    sum[0] += confidence[item]!;
    sum[1] += 1;
  });
  return first.map((known, cluster) => {
    const [sum, count] = sums[cluster]!;
    return { names: known, confidence: count > 0 ? sum / count : undefined };
  });
}
