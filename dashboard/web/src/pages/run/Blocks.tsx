/** The clusters and their blocks, in numbers; each opens the heatmap at its place. */
import { useMemo } from "preact/hooks";

import { artifact } from "../../api/client";
import type { Run } from "../../api/types";
import { useResource } from "../../api/use";
import type { Scale, Spread } from "../../heatmap/scale";
import { BlockTable, type Head } from "../../tables/BlockTable";
import { SizeTable } from "../../tables/SizeTable";
import { type Kind, kindOf } from "../../tables/kind";
import { Loading, ProblemNote, format } from "../../ui";
import type { Found } from "./useFound";
import { type Blocks as Table, parsedBlocks } from "./blocks";
import { type Cluster, membersOf } from "./members";

/** Clusters that a table shows; the file has all. */
const MOST = 60;

interface Props {
  run: Run;
  /** Undefined until it is known; null where it could not be had. */
  found: Found | null | undefined;
  component: number;
  /** How colours are spread; null: as they are best. */
  spread: Spread | null;
  /** Look at some rows and columns, by position in the reordered matrix; null: all of them. */
  onLook: (rows: [number, number] | null, columns: [number, number] | null) => void;
}

export function Blocks({ run, found, component, spread, onLook }: Props) {
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
  // Shares are of categories whose names come with it.
  if (!blocks || (blocks.figures.includes("share") && found === undefined)) {
    return (
      <Section>
        <Loading what="Reading the blocks" />
      </Section>
    );
  }
  const drawn = blocks.grid.some((line) => line.some((block) => block?.posterior));
  const names = found?.categories ?? [];
  const kind = kindOf({ ...blocks, exposure: run.options["exposure"], names });
  return (
    <Section>
      <div class="sizes">
        <SizeTable
          title="Row clusters"
          note={<PressOne number={blocks.rowSizes.length} />}
          word="row"
          sizes={sizesOf(blocks.rowSizes, rows)}
          total={sumOf(blocks.rowSizes)}
          onLook={(cluster) => onLook(spanOf("rows", cluster), null)}
        />
        <SizeTable
          title="Column clusters"
          note={<PressOne number={blocks.columnSizes.length} />}
          word="column"
          sizes={sizesOf(blocks.columnSizes, columns)}
          total={sumOf(blocks.columnSizes)}
          onLook={(cluster) => onLook(null, spanOf("columns", cluster))}
        />
      </div>
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
        rows={headsOf(blocks.rowSizes)}
        columns={headsOf(blocks.columnSizes)}
        block={(row, column) => blocks.grid[row.label]?.[column.label]}
        scale={scaleOf(blocks, kind, component, spread, found)}
        onLook={(block) => onLook(spanOf("rows", block.k), spanOf("columns", block.l))}
      />
      {Math.max(blocks.rowSizes.length, blocks.columnSizes.length) > MOST && (
        <p class="note">Shown are the first {MOST} clusters; blocks.csv holds all.</p>
      )}
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
  return spread === null || scale.unit ? scale : { ...scale, spread };
}
