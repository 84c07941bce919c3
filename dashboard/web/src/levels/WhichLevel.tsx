/** What there is to choose a level by: a chart of each figure over the numbers of clusters, and a table behind them. */
import { Key, LineChart } from "../charts/LineChart";
import * as format from "../ui/format";
import type { AxisCurves, Level, Levels } from "./level";
import { type Chart, chartsOf, linesOf } from "./curves";
import type { Chosen } from "./useLevel";

type Axis = "rows" | "columns";

const AXES: readonly Axis[] = ["rows", "columns"];

export const WHICH_LEVEL = "which-level";

interface Props {
  readonly levels: Levels;
  readonly chosen: Chosen;
  /** The level that is looked at, once the slider rests. */
  readonly level: Level | undefined;
}

export function WhichLevel({ levels: { curves }, chosen, level }: Props) {
  if (!curves || AXES.every((axis) => curves[axis].levels.length < 2)) return null;
  const shown = AXES.filter((axis) => curves[axis].levels.length > 1);
  const charts = chartsOf(shown.map((axis) => curves[axis]));
  return (
    <section aria-labelledby={WHICH_LEVEL}>
      <div class="bar">
        <h2 id={WHICH_LEVEL} tabIndex={-1}>
          Which level
        </h2>
      </div>
      <p class="level-reason">{curves.sentence}</p>
      {charts.map((chart) => (
        <div key={chart.title} class="level-chart">
          {chart.lines.length > 1 && <Key labels={chart.lines.map(({ label }) => label)} />}
          <div class="charts">
            {shown.map((axis) => (
              <Curve key={axis} chart={chart} axis={axis} of={curves[axis]} here={level?.[axis].number ?? null} />
            ))}
          </div>
          <p class="note">{chart.note}</p>
        </div>
      ))}
      <details class="level-figures">
        <summary>All figures as a table</summary>
        <div class="charts">
          {shown.map((axis) => (
            <Figures key={axis} axis={axis} of={curves[axis]} onChoose={(number) => chosen.choose(axis, number)} />
          ))}
        </div>
      </details>
    </section>
  );
}

const wordOf = (axis: Axis): string => (axis === "rows" ? "row" : "column");

function Curve({
  chart,
  axis,
  of,
  here,
}: {
  readonly chart: Chart;
  readonly axis: Axis;
  readonly of: AxisCurves;
  readonly here: number | null;
}) {
  const lines = linesOf(chart, of);
  if (lines.length === 0) return <p class="note">This is not known of the {axis}.</p>;
  const at = here ?? of.clusters;
  const told = lines
    .map(({ label, x, y }) => {
      const value = y[x.indexOf(at)];
      return value == null ? "" : `${lines.length > 1 ? `${label} ` : ""}${chart.text(value)}`;
    })
    .filter(Boolean);
  const rest = told.length > 0 ? `${told.join(" · ")} at ${format.count(at)}` : "";
  return (
    <LineChart
      title={`${chart.title} by number of ${wordOf(axis)} clusters`}
      lines={lines}
      sync={`levels ${axis}`}
      text={chart.text}
      rest={rest}
      over={{
        noun: "clusters",
        range: chart.range,
        marks: [
          ...(of.reason === "fine" ? [] : [{ at: of.clusters, text: "shown first", main: true }]),
          ...(here === null || here === of.clusters ? [] : [{ at: here, text: "here", main: false }]),
        ],
      }}
    />
  );
}

function Figures({
  axis,
  of,
  onChoose,
}: {
  readonly axis: Axis;
  readonly of: AxisCurves;
  readonly onChoose: (number: number) => void;
}) {
  const charts = chartsOf([of]);
  const figures = charts.flatMap((chart) =>
    chart.lines.flatMap(({ figure, label }) => (of[figure] ? [{ figure, label, text: chart.text }] : [])),
  );
  return (
    <div class="wide tall" tabIndex={0} role="region" aria-label={`Figures of each number of ${wordOf(axis)} clusters`}>
      <table class="size-table">
        <caption>
          {axis === "rows" ? "Row clusters" : "Column clusters"} <small>press a number to see that level</small>
        </caption>
        <thead>
          <tr>
            <th scope="col" class="number">
              Clusters
            </th>
            {figures.map(({ label }) => (
              <th key={label} scope="col" class="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.levels.map((number, i) => (
            <tr key={number}>
              <th scope="row" class="number">
                <button type="button" class="plain" onClick={() => onChoose(number)}>
                  {number}
                </button>
                {of.reason !== "fine" && number === of.clusters && <small> shown first</small>}
              </th>
              {figures.map(({ figure, label, text }) => {
                const value = of[figure]?.[i];
                return (
                  <td key={label} class="number">
                    {value === undefined ? format.NONE : text(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
