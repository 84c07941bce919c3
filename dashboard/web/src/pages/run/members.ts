/** rows.csv or columns.csv: who is in each cluster, and how sure that is. */

export interface Cluster {
  /** Names of the first of them. */
  readonly names: readonly string[];
  /** Mean confidence of its members, 0 to 1; undefined without draws. */
  readonly confidence: number | undefined;
}

/** Names that are kept of a cluster. */
const MOST = 8;

/** A record is a name, which may be quoted, a label, other numbers or blanks, and a class, which may be quoted. */
const RECORD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*)),(\d+)((?:,[\d.eE+-]*)*)(?:,(?:"((?:[^"]|"")*)"|([^",\r\n]*)))?(?:\r?\n|$)/g;

/** Rows or columns, as the file has them. */
export interface Items {
  readonly names: readonly string[];
  /** Cluster of each. */
  readonly labels: readonly number[];
  /** How sure that is, 0 to 1; NaN without draws. */
  readonly confidence: readonly number[];
  /** Its known class, "" where that is not known; none where the file has none. */
  readonly classes: readonly string[];
}

export function itemsOf(text: string): Items {
  const [names, labels, sure, classes]: [string[], number[], number[], string[]] = [[], [], [], []];
  const head = text.slice(0, text.search(/\r?\n|$/)).split(",");
  // Of what comes after the label.
  const at = head.indexOf("confidence") - 1;
  const classed = head.at(-1) === "known_class";
  for (const [, quoted, plain, label, rest = "", inQuotes, bare] of text.matchAll(RECORD)) {
    const confidence = at > 0 ? rest.split(",")[at] : undefined;
    names.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    labels.push(Number(label));
    sure.push(confidence ? Number(confidence) : NaN);
    // A class that is a number is taken for one of the numbers before it.
    if (classed) classes.push(inQuotes?.replaceAll('""', '"') ?? bare ?? rest.slice(rest.lastIndexOf(",") + 1));
  }
  return { names, labels, confidence: sure, classes };
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
