/** The clusters and their blocks, in numbers; each opens the heatmap at its place. */
import { useMemo } from "preact/hooks";

import { artifact } from "../../api/client";
import type { Run } from "../../api/types";
import { useResource } from "../../api/use";
import { colour, inkOn } from "../../heatmap/colours";
import { rank } from "../../heatmap/scale";
import { Loading, ProblemNote, format, useDark } from "../../ui";
import type { Found } from "./useFound";
import { type Block, type Blocks as Table, parsedBlocks } from "./blocks";
import { type Cluster, membersOf } from "./members";

/** Clusters that a table shows; the file has all. */
const MOST = 60;

interface Props {
  run: Run;
  found: Found | undefined;
  component: number;
  /** Look at some rows and columns, by position in the reordered matrix; null: all of them. */
  onLook: (rows: [number, number] | null, columns: [number, number] | null) => void;
}

export function Blocks({ run, found, component, onLook }: Props) {
  const file = useResource((signal) => artifact(run.id, "blocks.csv", signal).then((found) => found.text()), [run.id]);
  const blocks = useMemo(
    () => (file.data === undefined ? undefined : parsedBlocks(file.data, component)),
    [file.data, component],
  );
  const [rows, columns] = [useMembers(run, "rows"), useMembers(run, "columns")];
  const spanOf = (axis: "rows" | "columns", cluster: number): [number, number] | null => {
    const [from, to] = [found?.[axis][cluster], found?.[axis][cluster + 1]];
    return from === undefined || to === undefined ? null : [from, to];
  };
  if (file.problem) return <Section>{<ProblemNote problem={file.problem} retry={file.reload} />}</Section>;
  if (!blocks) {
    return (
      <Section>
        <Loading what="Reading the blocks" />
      </Section>
    );
  }
  return (
    <Section>
      <div class="sizes">
        <Sizes
          title="Row clusters"
          word="row"
          sizes={blocks.rowSizes}
          members={rows}
          onLook={(cluster) => onLook(spanOf("rows", cluster), null)}
        />
        <Sizes
          title="Column clusters"
          word="column"
          sizes={blocks.columnSizes}
          members={columns}
          onLook={(cluster) => onLook(null, spanOf("columns", cluster))}
        />
      </div>
      <Grid
        blocks={blocks}
        transform={run.transform}
        scale={component === 0 ? (found?.scale ?? []) : []}
        onLook={(block) => onLook(spanOf("rows", block.k), spanOf("columns", block.l))}
      />
    </Section>
  );
}

const Section = ({ children }: { children: preact.ComponentChildren }) => (
  <section aria-labelledby="blocks">
    <div class="bar">
      <h2 id="blocks">Clusters and blocks</h2>
    </div>
    {children}
  </section>
);

/** Items of an axis of which the file with their labels is read, for some of their names. */
const FEW = 50_000;

/** Who is in each cluster; empty until it is known, and for an axis with many. */
function useMembers(run: Run, axis: "rows" | "columns"): readonly Cluster[] {
  const wanted = (run.dataset[axis] ?? 0) <= FEW;
  const { data } = useResource(
    (signal) =>
      wanted
        ? artifact(run.id, `${axis}.csv`, signal)
            .then((found) => found.text())
            .then(membersOf)
        : Promise.resolve([]),
    [run.id, axis, wanted],
  );
  return data ?? [];
}

function Sizes({
  title,
  word,
  sizes,
  members,
  onLook,
}: {
  title: string;
  word: string;
  sizes: readonly number[];
  members: readonly Cluster[];
  onLook: (cluster: number) => void;
}) {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const largest = Math.max(1, ...sizes);
  const sure = members.some(({ confidence }) => confidence !== undefined);
  return (
    <div class="wide tall" tabIndex={0} role="region" aria-label={title}>
      <table class="size-table">
        <caption>
          {title} <small>{format.count(sizes.length)}; press a number to see it in the heatmap</small>
        </caption>
        {members.length > 0 && (
          <thead>
            <tr>
              <th>
                <span class="spoken">Cluster</span>
              </th>
              <th class="number">Size</th>
              <th class="number">Share</th>
              <th>
                <span class="spoken">Its bar</span>
              </th>
              {sure && <th class="number">Sure</th>}
              <th>Members</th>
            </tr>
          </thead>
        )}
        <tbody>
          {sizes.map((size, cluster) => (
            <tr key={cluster}>
              <th scope="row">
                <button
                  type="button"
                  class="plain"
                  onClick={() => onLook(cluster)}
                  aria-label={`Show ${word} cluster ${cluster} in the heatmap`}
                >
                  {cluster}
                </button>
              </th>
              <td class="number">{format.plural(size, word)}</td>
              <td class="number">{format.percent(size / total)}</td>
              <td class="size-bar">
                <i style={{ width: `${(100 * size) / largest}%` }} />
              </td>
              {sure && (
                <td class="number" title="Mean confidence: how often, of the draws, a member is together with another one of its cluster">
                  {format.percent(members[cluster]?.confidence)}
                </td>
              )}
              {members.length > 0 && <td class="members">{named(members[cluster]?.names ?? [], size)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** "a, b and 3 more". */
function named(names: readonly string[], size: number): string {
  const rest = size - names.length;
  return `${names.join(", ")}${rest > 0 ? ` and ${format.count(rest)} more` : ""}`;
}

function Grid({
  blocks,
  transform,
  scale,
  onLook,
}: {
  blocks: Table;
  transform: string;
  scale: readonly number[];
  onLook: (block: Block) => void;
}) {
  const theme = useDark() ? "dark" : "light";
  const columns = blocks.columnSizes.slice(0, MOST);
  const rows = blocks.grid.slice(0, MOST);
  const cut = blocks.grid.length > MOST || blocks.columnSizes.length > MOST;
  return (
    <>
      <div class="wide tall" tabIndex={0} role="region" aria-label="Blocks">
        <table class="block-table">
          <caption>
            Mean ± standard deviation of each block{" "}
            <small>
              {transform !== "none" && `of the values after ${transform}; `}press one to see it in the heatmap
            </small>
          </caption>
          <thead>
            <tr>
              <td />
              {columns.map((size, l) => (
                <th key={l} scope="col" class="number">
                  {l} <small>{format.plural(size, "column")}</small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((line, k) => (
              <tr key={k}>
                <th scope="row" class="number">
                  {k} <small>{format.plural(blocks.rowSizes[k] ?? NaN, "row")}</small>
                </th>
                {columns.map((_, l) => (
                  <Cell key={l} block={line?.[l]} scale={scale} theme={theme} onLook={onLook} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {cut && <p class="note">Shown are the first {MOST} clusters; blocks.csv holds all.</p>}
    </>
  );
}

function Cell({
  block,
  scale,
  theme,
  onLook,
}: {
  block: Block | undefined;
  scale: readonly number[];
  theme: "light" | "dark";
  onLook: (block: Block) => void;
}) {
  if (!block || Number.isNaN(block.mean)) return <td class="number no-cell">missing</td>;
  const share = scale.length > 0 ? rank(scale, block.mean) : undefined;
  const shades = share === undefined ? {} : { background: colour(theme, share), color: inkOn(theme, share) };
  return (
    <td class="number" style={shades}>
      <button
        type="button"
        class="plain"
        onClick={() => onLook(block)}
        title={`${format.count(block.cells)} observed cells`}
        aria-label={`${format.number(block.mean, 3)} ± ${format.number(block.sd, 3)}, block ${block.k}, ${block.l}: show it in the heatmap`}
      >
        {format.number(block.mean, 3)} <span class="sd">± {format.number(block.sd, 3)}</span>
      </button>
    </td>
  );
}
