/** The report of a calibration: fit against number of blocks, with the power that is proposed ringed. */
import { FRAME, curveOf } from "../charts/curve";
import * as format from "../ui/format";
import { Head } from "./Head";
import type { CalibrationDocument, Power } from "./document";

const blocksOf = ({ row_clusters, column_clusters }: Power): number => row_clusters * column_clusters;

export function CalibrationReport({ found }: { found: CalibrationDocument }) {
  const power = found.powers[found.chosen]!.power;
  return (
    <>
      <Head kind="calibration" title={found.name}>
        <p class="lead">
          <span>likelihood power</span> <strong>{power}</strong>
        </p>
      </Head>
      <main>
        <section aria-label="Curve">
          <Curve found={found} power={power} />
        </section>
        <section aria-label="Powers">
          <Powers powers={found.powers} />
        </section>
      </main>
    </>
  );
}

function Curve({ found, power }: { found: CalibrationDocument; power: number }) {
  const { powers, chosen, standard_errors } = found;
  const { marks, across, up } = curveOf(
    powers.map((each) => ({ blocks: blocksOf(each), fit: each.fit, margin: standard_errors * each.error })),
  );
  const ringed = marks[chosen]!;
  const { width, height, left, right, bottom } = FRAME;
  return (
    <figure class="curve">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Log likelihood of a cell against the number of blocks; power ${power} is ringed`}
      >
        {up.map(({ at, text }) => (
          <g key={text}>
            <path class="grid" d={`M${left} ${at}H${right}`} />
            <text class="y" x={left - 8} y={at + 4}>
              {text}
            </text>
          </g>
        ))}
        <path class="axis" d={`M${left} ${bottom}H${right}`} />
        {across.map(({ at, text }) => (
          <g key={text}>
            <path class="axis" d={`M${at} ${bottom}v4`} />
            <text class="x" x={at} y={bottom + 18}>
              {text}
            </text>
          </g>
        ))}
        <text class="x" x={(left + right) / 2} y={height - 8}>
          blocks, mean K × mean L (logarithmic)
        </text>
        <text x={4} y={12}>
          log likelihood of a cell; bars are {standard_errors} standard errors either way, numbers are powers
        </text>
        <path class="line" d={`M${marks.map(({ x, y }) => `${x} ${y}`).join("L")}`} />
        {marks.map(({ x, y, low, high }, i) => (
          <g key={i}>
            <path class="error" d={`M${x} ${low}V${high}`} />
            <circle class="end" cx={x} cy={y} r={3.5} />
            <text x={x + 9} y={y + 16}>
              {powers[i]!.power}
            </text>
          </g>
        ))}
        <circle class="ring" cx={ringed.x} cy={ringed.y} r={9} />
      </svg>
      <figcaption>
        {found.sentence} {found.ends}
      </figcaption>
    </figure>
  );
}

function Powers({ powers }: { powers: readonly Power[] }) {
  const titles = ["Power", "Log likelihood of a cell", "Standard error", "Row clusters", "Column clusters", "Blocks"];
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Figures of each power">
      <table class="size-table powers">
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {powers.map((each) => (
            <tr key={each.power}>
              <th scope="row" class="number">
                {each.power}
              </th>
              <td class="number">{format.fixed(each.fit, 4)}</td>
              <td class="number">{format.number(each.error, 2)}</td>
              <td class="number">{format.fixed(each.row_clusters, 1)}</td>
              <td class="number">{format.fixed(each.column_clusters, 1)}</td>
              <td class="number">{format.fixed(blocksOf(each), 1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
