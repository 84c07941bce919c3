/** What run.json says of a result, in sentences. */
import type { Noted } from "../../api/names";
import * as format from "../../ui/format";

/** The parts that are read here; draws, and known classes, bring more. */
export interface RunRecord {
  readonly estimate: "last" | "map" | "consensus";
  readonly warnings: readonly string[];
  /** The same with the options that they name; not there in runs of earlier versions. */
  readonly notes?: readonly Noted[];
  readonly scores?: Readonly<Record<string, number>>;
  readonly ppc?: { readonly sentence: string };
  readonly posterior?: {
    readonly draws: number;
    /** Which draws the result comes from, where those are not all; "" otherwise. */
    readonly shown: string;
    readonly answers: readonly Answer[];
    readonly row_clusters: Readonly<Record<string, number>>;
    readonly column_clusters: Readonly<Record<string, number>>;
    readonly mean_confidence: { readonly rows: number; readonly columns: number };
  };
  readonly diagnosis?: { readonly agree: boolean | null; readonly sentence: string };
}

/** What one chain found, and how alike it is to the result. */
interface Answer {
  readonly chain: number;
  readonly reported: boolean;
  readonly mean_log_joint: number;
  readonly row_clusters: number;
  readonly column_clusters: number;
  readonly row_ari: number;
  readonly column_ari: number;
}

/** Chains that are named. */
const MOST_CHAINS = 8;

/** Numbers of clusters that are named; the others are few draws. */
const MOST = 3;

/** The notes of a run. */
export const notesOf = ({ notes, warnings }: RunRecord): readonly Noted[] => notes ?? warnings;

/** What is reported. */
export function estimateOf({ estimate, posterior }: RunRecord): string {
  if (!posterior) return "The state after the last iteration.";
  const draws = format.plural(posterior.draws, "draw");
  if (estimate === "consensus") return `The consensus of ${draws}.`;
  return estimate === "map" ? `The likeliest of ${draws}.` : `The state after the last iteration, beside ${draws}.`;
}

/** How sure it is, by axis; none without draws. */
export function confidenceOf({ posterior }: RunRecord): readonly string[] {
  if (!posterior) return [];
  const of = (word: string, sure: number, numbers: Readonly<Record<string, number>>): string =>
    `${word} labels are ${format.percent(sure)} certain on average; ${word.toLowerCase()} clusters: ${shares(numbers)}.`;
  return [
    of("Row", posterior.mean_confidence.rows, posterior.row_clusters),
    of("Column", posterior.mean_confidence.columns, posterior.column_clusters),
  ];
}

/** What each chain found, where they differ so much that one of them is shown. */
export function answersOf({ posterior }: RunRecord): readonly string[] {
  const answers = posterior?.answers ?? [];
  if (answers.every(({ reported }) => reported)) return [];
  const lines = answers.slice(0, MOST_CHAINS).map((answer) => {
    const found = `Chain ${answer.chain}: ${format.shape(answer.row_clusters, answer.column_clusters)}, mean log joint ${format.logJoint(answer.mean_log_joint)}`;
    if (answer.reported) return `${found}. This is the result.`;
    const [rows, columns] = [answer.row_ari, answer.column_ari].map((ari) => ari.toFixed(2).replace("-", "−"));
    return `${found}. Adjusted Rand index with the result: rows ${rows}, columns ${columns}.`;
  });
  const more = answers.length - lines.length;
  return more > 0 ? [...lines, `And ${format.plural(more, "more chain")}: posterior.answers in run.json.`] : lines;
}

const shares = (numbers: Readonly<Record<string, number>>): string =>
  Object.entries(numbers)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST)
    .map(([clusters, share]) => `${clusters} in ${format.percent(share)}`)
    .join(", ");

/** How near it comes to the classes that are known; none where none are. */
export function scoresOf({ scores = {} }: RunRecord): readonly string[] {
  return (["", "column_"] as const)
    .filter((prefix) => scores[`${prefix}ari`] !== undefined)
    .map((prefix) => {
      const [ari, nmi] = ["ari", "nmi"].map((name) => (scores[prefix + name] ?? NaN).toFixed(2).replace("-", "−"));
      return `${prefix ? "Columns" : "Rows"}: adjusted Rand index ${ari}, normalised mutual information ${nmi} (1: the same; an index of 0: no better than chance).`;
    });
}
