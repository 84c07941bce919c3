/** Who is where: the rows, or the columns, of a matrix in the order in which they are shown by cluster. */
import { clusterAt } from "../heatmap/viewport";
import { type Classes, classesFrom } from "../classes/classes";
import { joined } from "../levels/regrouped";

export interface Roster {
  /** At each place. */
  readonly names: readonly string[];
  /** Places where clusters begin, and where the last one ends. */
  readonly starts: readonly number[];
  /** Label of each cluster, or {@link ASIDE}. */
  readonly labels: readonly number[];
  /** Known classes, by place. */
  readonly classes?: Classes | undefined;
}

/** The same with the branches of a level for clusters. */
export const rosterAt = (roster: Roster, branch: readonly number[]): Roster => ({
  ...roster,
  ...joined(roster.starts, roster.labels, branch),
});

/** The label of the cluster at a place. */
export const labelAt = ({ starts, labels }: Roster, place: number): number => labels[clusterAt(starts, place)]!;

/** The places of a cluster, or of all that is set aside. */
export const placesOf = ({ starts, labels }: Roster, label: number): readonly number[] =>
  labels.flatMap((each, i) =>
    each === label ? Array.from({ length: starts[i + 1]! - starts[i]! }, (_, at) => starts[i]! + at) : [],
  );

/** Places of the names that hold a text, whatever its case: those first that are it, then those that begin with it. */
export function search(names: readonly string[], text: string, among?: readonly number[]): readonly number[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return among ?? [];
  const [same, first, within]: [number[], number[], number[]] = [[], [], []];
  const look = (place: number): void => {
    const name = names[place]!.toLowerCase();
    const at = name.indexOf(wanted);
    if (at < 0) return;
    (name === wanted ? same : at === 0 ? first : within).push(place);
  };
  if (among) among.forEach(look);
  else names.forEach((_, place) => look(place));
  return [...same, ...first, ...within];
}

/** Items in the order in which they are shown: cluster by cluster, in each as the file has them. */
export function inOrder(
  names: readonly string[],
  of: readonly number[],
  starts: readonly number[],
  labels: readonly number[],
  classes: readonly string[] = [],
): Roster {
  const next = new Map(labels.map((label, i) => [label, starts[i]!]));
  const shown = new Array<string>(names.length);
  const known = new Array<string>(classes.length);
  names.forEach((name, item) => {
    const place = next.get(of[item]!) ?? 0;
    next.set(of[item]!, place + 1);
    shown[place] = name;
    if (classes.length > 0) known[place] = classes[item]!;
  });
  return { names: shown, starts, labels, classes: classesFrom(known) };
}
