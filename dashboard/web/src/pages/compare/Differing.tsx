/** What the runs were asked in different ways. */
import type { Comparison } from "../../api/types";
import { shown } from "../run/values";

interface Props {
  parameters: Comparison["parameters"];
  labels: readonly string[];
}

export function Differing({ parameters, labels }: Props) {
  return (
    <section aria-labelledby="differ">
      <div class="bar">
        <h2 id="differ">Parameters that differ</h2>
      </div>
      {parameters.length === 0 ? (
        <p class="note">None: these runs were asked for the same.</p>
      ) : (
        <div class="wide" tabIndex={0} role="region" aria-label="Their values">
          <table class="compact">
            <thead>
              <tr>
                <th>Parameter</th>
                {labels.map((label) => (
                  <th key={label} class="title">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {parameters.map((parameter) => (
                <tr key={parameter.name}>
                  <th scope="row">{parameter.name.replaceAll("_", " ")}</th>
                  {parameter.values.map((value, i) => (
                    <td key={i}>{shown(value, parameter.name)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
