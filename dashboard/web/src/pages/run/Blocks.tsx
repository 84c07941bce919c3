/** The clusters and their blocks, in numbers; each opens the heatmap at its place. */
import { useMemo } from "preact/hooks";

import { artifact } from "../../api/client";
import type { Run } from "../../api/types";
import { useResource } from "../../api/use";
import { spanOf } from "../../heatmap/picture";
import { type Scale, type Spread, spreadAs } from "../../heatmap/scale";
import { NoFigures } from "../../levels/NoFigures";
import { gridsOf } from "../../levels/blocks";
import { type Level, type Levels, isFine } from "../../levels/level";
import { joined } from "../../levels/regrouped";
import { sizesOf as joinedSizes } from "../../levels/sizes";
import { BlockTable, type Head } from "../../tables/BlockTable";
import { SizeTable } from "../../tables/SizeTable";
import { type Kind, kindOf } from "../../tables/kind";
import { Loading, ProblemNote, format } from "../../ui";
import type { Found } from "./useFound";
import { type Blocks as Table, parsedBlocks } from "./blocks";
import { type Cluster, type Items, membersOf } from "./members";

/** Clusters that a table shows; the file has all. */
const MOST = 60;

interface Props {
  run: Run;
  /** Undefined until it is known; null where it could not be had. */
  found: Found | null | undefined;
  levels: Levels | null | undefined;
  /** The level that the clusters are shown at; undefined: all of the run. */
  level: Level | undefined;
  /** Who is in the clusters; undefined until it is known. */
  items: { readonly rows: Items | null | undefined; readonly columns: Items | null | undefined };
  component: number;
  /** How colours are spread; null: as they are best. */
  spread: Spread | null;
  /** Look at some rows and columns, by position in the reordered matrix; null: all of them. */
  onLook: (rows: readonly [number, number] | null, columns: readonly [number, number] | null) => void;
  /** List the members of a cluster. */
  onMembers: (axis: "rows" | "columns", cluster: number) => void;
}

export function Blocks({ run, found, levels, level, items, component, spread, onLook, onMembers }: Props) {
  const file = useResource((signal) => artifact(run.id, "blocks.csv", signal).then((found) => found.text()), [run.id]);
  const blocks = useMemo(
    () => (file.data === undefined ? undefined : parsedBlocks(file.data, component)),
    [file.data, component],
  );
  const [rows, columns] = [useMembers(items.rows), useMembers(items.columns)];
  const coarse = level && !isFine(level) ? level : undefined;
  const grids = useMemo(() => (levels && coarse ? gridsOf(levels, coarse) : undefined), [levels, coarse]);
  const placeOf = (axis: "rows" | "columns", cluster: number): readonly [number, number] | null => {
    if (!found) return null;
    const [starts, labels] = axis === "rows" ? [found.rows, found.rowLabels] : [found.columns, found.columnLabels];
    const shown = level ? joined(starts, labels, level[axis].cut.labels) : { starts, labels };
    return spanOf(shown.starts, shown.labels, cluster) ?? null;
  };
  if (file.problem) return <Section>{<ProblemNote problem={file.problem} retry={file.reload} />}</Section>;
  // Shares are of categories whose names come with it.
  if (!blocks || (blocks.figures.includes("share") && found === undefined)) {
    return (
      <Section>
        <Loading what="Reading the blocks" />
      </Section>
    );
  }
  const grid = grids?.[blocks.categories > 1 ? 0 : component];
  const shown = coarse ? atLevel(blocks, coarse, grid) : blocks;
  const drawn = shown.grid.some((line) => line.some((block) => block?.posterior));
  const names = found?.categories ?? [];
  const kind = kindOf({ ...blocks, exposure: run.options["exposure"], names });
  return (
    <Section>
      <div class="sizes">
        <SizeTable
          title="Row clusters"
          note={<PressOne number={shown.rowSizes.length} />}
          word="row"
          sizes={
            coarse
              ? joinedSizes(coarse.rows, sizesOf(blocks.rowSizes, rows), levels?.curves?.rows)
              : sizesOf(blocks.rowSizes, rows)
          }
          total={sumOf(blocks.rowSizes)}
          onLook={(cluster) => onLook(placeOf("rows", cluster), null)}
          onMembers={(cluster) => onMembers("rows", cluster)}
        />
        <SizeTable
          title="Column clusters"
          note={<PressOne number={shown.columnSizes.length} />}
          word="column"
          sizes={
            coarse
              ? joinedSizes(coarse.columns, sizesOf(blocks.columnSizes, columns), levels?.curves?.columns)
              : sizesOf(blocks.columnSizes, columns)
          }
          total={sumOf(blocks.columnSizes)}
          onLook={(cluster) => onLook(null, placeOf("columns", cluster))}
          onMembers={(cluster) => onMembers("columns", cluster)}
        />
      </div>
      {coarse && !grid ? (
        <NoFigures />
      ) : (
        <BlockTable
          kind={kind}
          label="Blocks"
          caption={
            <>
              {kind.caption} of each block{" "}
              <small>
                {drawn && (blocks.categories > 1 ? "of the posterior; " : "of the posterior, with 95 % intervals; ")}
                {kind.note && `${kind.note}; `}
                {run.transform !== "none" && `of the values after ${run.transform}; `}press one to see it in the heatmap
              </small>
            </>
          }
          rows={headsOf(shown.rowSizes)}
          columns={headsOf(shown.columnSizes)}
          block={(row, column) => shown.grid[row.label]?.[column.label]}
          scale={scaleOf(shown, kind, component, spread, found)}
          onLook={(block) => onLook(placeOf("rows", block.k), placeOf("columns", block.l))}
        />
      )}
      {Math.max(shown.rowSizes.length, shown.columnSizes.length) > MOST && (
        <p class="note">Shown are the first {MOST} clusters; blocks.csv holds all.</p>
      )}
    </Section>
  );
}

/** The blocks of a level in place of the run's. */
const atLevel = (blocks: Table, { rows, columns }: Level, grid: Table["grid"] | undefined): Table => ({
  ...blocks,
  rowSizes: rows.cut.sizes,
  columnSizes: columns.cut.sizes,
  grid: grid ?? [],
});

const Section = ({ children }: { children: preact.ComponentChildren }) => (
  <section aria-labelledby="blocks">
    <div class="bar">
      <h2 id="blocks">Clusters and blocks</h2>
    </div>
    {children}
  </section>
);

const useMembers = (items: Items | null | undefined): readonly Cluster[] =>
  useMemo(() => (items ? membersOf(items) : []), [items]);

const PressOne = ({ number }: { number: number }) => <>{format.count(number)}; press a number to see it in the heatmap</>;

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

const headsOf = (sizes: readonly number[]): readonly Head[] =>
  Array.from(sizes.slice(0, MOST), (size, label) => ({ label, size: size ?? NaN }));

const sizesOf = (sizes: readonly number[], members: readonly Cluster[]) =>
  Array.from(sizes, (size, label) => ({
    label,
    size,
    members: members[label]?.names ?? [],
    confidence: members[label]?.confidence,
  }));

/** The heatmap's colours for a cell's first real number; for others they are spread over the blocks. */
function scaleOf(
  { figures, grid }: Table,
  kind: Kind,
  component: number,
  spread: Spread | null,
  found: Found | null | undefined,
): Scale | undefined {
  const heated = figures.includes("mean") && component === 0;
  if (heated && !found) return undefined;
  const scale = heated ? found!.scale : kind.scale(grid.flatMap((line) => line.filter((block) => block !== undefined)));
  return scale.unit ? scale : spreadAs(scale, spread);
}
