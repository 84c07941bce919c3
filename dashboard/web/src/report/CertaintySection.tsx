/** What the draws say of how sure it is. */
import type { ComponentChildren } from "preact";

import * as format from "../ui/format";
import { Together } from "./Together";
import type { AxisCertainty, Bar, Certainty, ChainAnswer, ConvergenceOf } from "./document";

const NAMES: Record<string, string> = {
  log_joint: "Log joint",
  row_clusters: "Row clusters K",
  column_clusters: "Column clusters L",
  alpha: "Concentration of rows α",
  beta: "Concentration of columns β",
};

/** `fine`: the numbers of the run's clusters, where others are shown above. */
export function CertaintySection({ found, fine }: { found: Certainty; fine?: readonly [number, number] | undefined }) {
  const { numbers, axes, answers } = found;
  return (
    <section aria-labelledby="sure-title">
      <div class="bar">
        <h2 id="sure-title">How sure it is</h2>
      </div>
      <p class={`verdict${found.doubtful ? " amber" : ""}`}>{found.sentence}</p>
      {found.shown && <p class="second">{found.shown}</p>}
      {fine && (
        <p class="second">
          Clusters here are the {format.count(fine[0])} × {format.count(fine[1])} of the run, by their own numbers.
        </p>
      )}
      {axes.map(({ axis, runner_up }) => runner_up && <p key={axis} class="second">{runner_up}</p>)}
      <div class="sure">
        <Numbers caption="Number of row clusters K" symbol="K" bars={numbers.rows} />
        <Numbers caption="Number of column clusters L" symbol="L" bars={numbers.columns} />
        <Numbers caption="Both together K × L" symbol="K × L" bars={numbers.both} />
        <ConvergenceTable traces={found.traces} />
        {answers.length > 0 && <Answers answers={answers} />}
        {axes.map((each) => (
          <LeastSure key={each.axis} found={each} />
        ))}
      </div>
      <Together axes={axes} />
    </section>
  );
}

const BarCell = ({ share, children }: { share: number; children?: ComponentChildren }) => (
  <td class="size-bar">
    <i style={{ width: `${100 * share}%` }} />
    {children}
  </td>
);

const BarHead = () => (
  <th scope="col" class="size-bar">
    <span class="spoken">Bar</span>
  </th>
);

function Numbers({ caption, symbol, bars }: { caption: string; symbol: string; bars: readonly Bar[] }) {
  const largest = Math.max(...bars.map(({ share }) => share));
  return (
    <table class="size-table">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col" class="number">
            {symbol}
          </th>
          <th scope="col" class="number">
            Probability
          </th>
          <BarHead />
        </tr>
      </thead>
      <tbody>
        {bars.map(({ label, share, reported }) => (
          <tr key={label}>
            <th scope="row" class="number">
              {label}
            </th>
            <td class="number">{format.percent(share)}</td>
            <BarCell share={Math.min(1, share / largest)}>{reported && <small>shown in this report</small>}</BarCell>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ConvergenceTable({ traces }: { traces: readonly ConvergenceOf[] }) {
  const told = (value: number | null, decimals: number): string =>
    value === null ? "not defined" : format.fixed(value, decimals);
  return (
    <table class="size-table">
      <caption>Convergence</caption>
      <thead>
        <tr>
          <th scope="col">Trace</th>
          <th scope="col" class="number">
            R-hat
          </th>
          <th scope="col" class="number">
            ESS bulk
          </th>
          <th scope="col" class="number">
            ESS tail
          </th>
        </tr>
      </thead>
      <tbody>
        {traces.map(({ name, r_hat, ess_bulk, ess_tail, agree }) => (
          <tr key={name}>
            <th scope="row">{NAMES[name] ?? name}</th>
            <td class={`number${agree === false ? " off" : ""}`}>{told(r_hat, 3)}</td>
            <td class="number">{told(ess_bulk, 0)}</td>
            <td class="number">{told(ess_tail, 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Answers({ answers }: { answers: readonly ChainAnswer[] }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="What each chain found">
      <table class="size-table">
        <caption>
          What each chain found <small>adjusted Rand index (ARI) with the result</small>
        </caption>
        <thead>
          <tr>
            {["Chain", "K × L", "Mean log joint", "ARI, rows", "ARI, columns"].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {answers.map((answer) => (
            <tr key={answer.chain}>
              <th scope="row" class="number">
                {answer.chain}
                {answer.shown && <small> shown</small>}
              </th>
              <td class="number">{format.shape(answer.row_clusters, answer.column_clusters)}</td>
              <td class="number">{format.logJoint(answer.mean_log_joint)}</td>
              <td class="number">{format.fixed(answer.row_ari, 2)}</td>
              <td class="number">{format.fixed(answer.column_ari, 2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function LeastSure({ found: { axis, least_sure, mean_confidence } }: { found: AxisCertainty }) {
  return (
    <table class="size-table">
      <caption>
        Least sure {axis}s <small>mean confidence {format.fixed(mean_confidence, 2)}</small>
      </caption>
      <thead>
        <tr>
          <th scope="col">{axis === "row" ? "Row" : "Column"}</th>
          <th scope="col" class="number">
            Cluster
          </th>
          <th scope="col" class="number">
            Confidence
          </th>
          <BarHead />
        </tr>
      </thead>
      <tbody>
        {least_sure.map(({ name, label, confidence }, i) => (
          <tr key={i}>
            <th scope="row" class="name">
              {name}
            </th>
            <td class="number">{label}</td>
            <td class="number">{format.fixed(confidence, 2)}</td>
            <BarCell share={confidence ?? 0} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}
