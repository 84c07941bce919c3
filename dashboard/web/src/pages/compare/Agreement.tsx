/** How alike the partitions of each two runs are. */
import type { Comparison } from "../../api/types";
import { colour, inkOn } from "../../heatmap/colours";
import { format, useDark } from "../../ui";

export type Likeness = "ari" | "nmi";

interface Props {
  comparison: Comparison;
  labels: readonly string[];
  measure: Likeness;
  pair: readonly [number, number];
  onMeasure: (measure: Likeness) => void;
  onPair: (a: number, b: number) => void;
}

const NAMES: Record<Likeness, string> = { ari: "Adjusted Rand index", nmi: "Normalised mutual information" };

export function Agreement({ comparison, labels, measure, pair, onMeasure, onPair }: Props) {
  return (
    <section aria-labelledby="agreement">
      <div class="bar">
        <h2 id="agreement">Agreement</h2>
        <fieldset class="segments">
          <legend class="spoken">Measure of agreement</legend>
          {(["ari", "nmi"] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="measure" checked={measure === each} onChange={() => onMeasure(each)} />
              <span>{NAMES[each]}</span>
            </label>
          ))}
        </fieldset>
      </div>
      <div class="pair">
        {(["rows", "columns"] as const).map((axis) => (
          <Matrix
            key={axis}
            title={axis === "rows" ? "Partitions of rows" : "Partitions of columns"}
            values={comparison[axis][measure]}
            labels={labels}
            pair={pair}
            onPair={onPair}
          />
        ))}
      </div>
      <p class="note">
        1 is the same partition; an adjusted Rand index of 0 is what chance would give. Press a number to see below
        where the two disagree.
      </p>
    </section>
  );
}

function Matrix({
  title,
  values,
  labels,
  pair,
  onPair,
}: {
  title: string;
  values: readonly (readonly number[])[];
  labels: readonly string[];
  pair: readonly [number, number];
  onPair: (a: number, b: number) => void;
}) {
  const theme = useDark() ? "dark" : "light";
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={title}>
      <table class="shades">
        <caption>{title}</caption>
        <thead>
          <tr>
            <td />
            {labels.map((label, j) => (
              <th key={j} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {values.map((row, i) => (
            <tr key={i}>
              <th scope="row">{labels[i]}</th>
              {row.map((value, j) => {
                if (i === j)
                  return (
                    <td key={j} class="self">
                      –
                    </td>
                  );
                const share = Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
                const chosen = (pair[0] === i && pair[1] === j) || (pair[0] === j && pair[1] === i);
                return (
                  <td
                    key={j}
                    class={chosen ? "chosen" : ""}
                    style={{ background: colour(theme, share), color: inkOn(theme, share) }}
                  >
                    <button
                      type="button"
                      class="plain"
                      aria-pressed={chosen}
                      aria-label={`${labels[i]} and ${labels[j]}: ${written(value)}; show where they disagree`}
                      onClick={() => onPair(Math.min(i, j), Math.max(i, j))}
                    >
                      {written(value)}
                    </button>
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

const written = (value: number): string => (Number.isFinite(value) ? value.toFixed(3).replace("-", "−") : format.NONE);
