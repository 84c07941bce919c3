/** Which charts tell the levels of a run apart, and what they say at a level. */
import type { Line } from "../charts/series";
import * as format from "../ui/format";
import type { AxisCurves, Branches, Curves } from "./level";

type Figure = "agreement" | "confidence" | "ratio" | "lost";

/** Of the rows, and of the columns. */
export interface Chart {
  readonly title: string;
  readonly lines: readonly { readonly figure: Figure; readonly label: string }[];
  readonly text: (value: number) => string;
  readonly range?: readonly [number, number] | undefined;
  readonly note: string;
}

const AGREEMENT = { figure: "agreement", label: "Agreement of the chains" } as const;
const CONFIDENCE = { figure: "confidence", label: "Confidence" } as const;

const SURE: Chart = {
  title: "Confidence",
  lines: [CONFIDENCE],
  text: (value) => format.fixed(value, 2),
  range: [0, 1],
  note: "Confidence is the mean over all labels: how often two members of a cluster are together in the draws, cut at that level too.",
};

const AGREED: Chart = {
  ...SURE,
  title: "Agreement and confidence",
  lines: [AGREEMENT, CONFIDENCE],
  note: `Agreement is the mean adjusted Rand index between two chains: 1 is the same clusters, 0 no better than chance. ${SURE.note}`,
};

const RATIO: Chart = {
  title: "Step",
  lines: [{ figure: "ratio", label: "Step" }],
  text: (value) => `${format.fixed(value, 1)} times`,
  note: "How many times as much log joint the next merge costs as the merge before. A high step is a good place to stop.",
};

const LOST: Chart = {
  title: "Log joint lost",
  lines: [{ figure: "lost", label: "Log joint lost" }],
  text: format.logJoint,
  note: "How much the merges up to a level cost in all, in nats.",
};

/** The charts of some axes of one run. */
export function chartsOf(axes: readonly AxisCurves[]): readonly Chart[] {
  const there = (figure: Figure): boolean => axes.some((axis) => (axis[figure] ?? []).length > 0);
  const charts = there("agreement") ? [AGREED] : [...(there("ratio") ? [RATIO] : []), ...(there("confidence") ? [SURE] : [])];
  return [...charts, LOST];
}

/** The lines of a chart that an axis has. */
export const linesOf = (chart: Chart, axis: AxisCurves): readonly Line[] =>
  chart.lines.flatMap(({ figure, label }) => {
    const values = axis[figure] ?? [];
    return values.length > 0 ? [{ label, x: axis.levels.slice(0, values.length), y: values }] : [];
  });

/** How sure the labels of the clusters that are shown are; undefined where the run's own clusters are shown, or it is not known. */
export function confidenceAt(curves: Curves | null, axis: "rows" | "columns", { number }: Branches): number | undefined {
  if (!curves || number === null) return undefined;
  return curves[axis].confidence?.[curves[axis].levels.indexOf(number)];
}

/** The same of both axes in words; "" where nothing is known. */
export function certaintyAt(curves: Curves | null, level: { readonly rows: Branches; readonly columns: Branches }): string {
  const told = (["rows", "columns"] as const).flatMap((axis) => {
    const sure = confidenceAt(curves, axis, level[axis]);
    return sure === undefined ? [] : [`${axis} ${format.percent(sure)}`];
  });
  const alone = curves?.rows.agreement === null && curves.columns.agreement === null;
  return told.length === 0
    ? ""
    : `How certain labels are at this level, on average${alone ? ", by one chain" : ""}: ${told.join(", ")}.`;
}
