/** The clusters and their blocks, in numbers; each opens the heatmap at its place. */
import { useMemo } from "preact/hooks";

import type { Scale } from "../heatmap/scale";
import { NoFigures } from "../levels/NoFigures";
import type { Level } from "../levels/level";
import { sizesOf } from "../levels/sizes";
import { BlockTable } from "../tables/BlockTable";
import { SizeTable } from "../tables/SizeTable";
import * as format from "../ui/format";
import type { Block } from "../tables/block";
import type { Kind } from "../tables/kind";
import { Said } from "../ui/Said";
import { blockAt, headed, leftOut, sharesAt } from "./blocks";
import type { BlockDocument, BlockMatrices, RunDocument, SizeOf } from "./document";

interface Props {
  readonly found: RunDocument;
  readonly kind: Kind;
  /** The level that is shown; undefined: the clusters of the run. */
  readonly level: Level | undefined;
  /** Its blocks, for each number of a cell; undefined: too many. */
  readonly coarse: readonly Block[][][] | undefined;
  /** The scale of the heatmap where blocks are shaded like it; undefined: they have their own. */
  readonly scale: Scale | undefined;
  /** Look at clusters in the heatmap; null: at all of them. */
  readonly onLook: (rows: number | null, columns: number | null) => void;
  /** What lists the members of a cluster; undefined: the names are not known. */
  readonly onMembers: (axis: "rows" | "columns") => ((cluster: number) => void) | undefined;
}

export function BlockSection({ found, kind, level, coarse, scale, onLook, onMembers }: Props) {
  const { run, sizes, certainty } = found;
  const blocks = level ? headed(found.blocks, level) : found.blocks;
  const cut = leftOut(blocks);
  const transform = run.data["transform"];
  // Categories share a table.
  const tables = blocks.categories ? blocks.tables.slice(0, 1) : blocks.tables;
  return (
    <section aria-labelledby="block-title">
      <div class="bar">
        <h2 id="block-title">Clusters and blocks</h2>
      </div>
      <div class="sizes">
        <Sizes
          word="row"
          sizes={level ? sizesOf(level.rows, sizes.rows, found.levels?.curves?.rows) : sizes.rows}
          all={blocks.row_clusters}
          total={run.rows}
          onLook={(k) => onLook(k, null)}
          onMembers={onMembers("rows")}
        />
        <Sizes
          word="column"
          sizes={level ? sizesOf(level.columns, sizes.columns, found.levels?.curves?.columns) : sizes.columns}
          all={blocks.column_clusters}
          total={run.columns}
          onLook={(l) => onLook(null, l)}
          onMembers={onMembers("columns")}
        />
      </div>
      {run.ppc && !level && (
        <p class="note">
          {(run.ppc.not_normal || run.ppc.not_poisson) ? "† " : ""}
          <Said text={run.ppc.sentence} />
        </p>
      )}
      {cut && <p class="note">{cut}</p>}
      {level && !coarse && <NoFigures />}
      {(!level || coarse) && tables.map((table, component) => (
        <Table
          key={component}
          kind={kind}
          table={table}
          grid={coarse?.[component]}
          blocks={blocks}
          component={component}
          scale={component === 0 ? scale : undefined}
          drawn={certainty !== null && !level}
          transform={typeof transform === "string" ? transform : "none"}
          onLook={onLook}
        />
      ))}
    </section>
  );
}

function Sizes({
  word,
  sizes,
  all,
  total,
  onLook,
  onMembers,
}: {
  word: string;
  sizes: readonly (Omit<SizeOf, "confidence"> & { readonly confidence: number | null | undefined })[];
  all: number;
  total: number;
  onLook: (cluster: number) => void;
  onMembers: ((cluster: number) => void) | undefined;
}) {
  return (
    <SizeTable
      title={`${format.plural(all, `${word} cluster`)}${all > sizes.length ? `, the ${sizes.length} largest` : ""}`}
      note="press a number to see it in the heatmap"
      word={word}
      sizes={sizes.map((each) => ({ ...each, confidence: each.confidence ?? undefined }))}
      total={total}
      onLook={onLook}
      onMembers={onMembers}
    />
  );
}

function Table({
  kind,
  table,
  grid: given,
  blocks,
  component,
  scale,
  drawn,
  transform,
  onLook,
}: {
  kind: Kind;
  table: BlockMatrices;
  /** Blocks of a level, in place of the table's. */
  grid: readonly Block[][] | undefined;
  blocks: BlockDocument;
  component: number;
  /** undefined: the table has its own. */
  scale: Scale | undefined;
  drawn: boolean;
  transform: string;
  onLook: Props["onLook"];
}) {
  const grid = useMemo(
    () =>
      blocks.rows.map(({ label: k }, i) =>
        blocks.columns.map(({ label: l }, j) => {
          if (given) return given[k]![l]!;
          return blocks.categories ? sharesAt(blocks, i, j) : blockAt(table, blocks, i, j);
        }),
      ),
    [table, given, blocks],
  );
  const places = useMemo(() => {
    const by = (heads: BlockDocument["rows"]) => new Map(heads.map(({ label }, i) => [label, i]));
    return { rows: by(blocks.rows), columns: by(blocks.columns) };
  }, [blocks]);
  const several = blocks.components > 1 && !blocks.categories;
  return (
    <BlockTable
      kind={kind}
      label={several ? `Blocks, component ${component}` : "Blocks"}
      caption={
        <>
          {several ? `Component ${component}: ${lowered(kind.caption)}` : kind.caption} of each block{" "}
          <small>
            {drawn && (blocks.categories ? "of the posterior; " : "of the posterior, with 95 % intervals; ")}
            {kind.note && `${kind.note}; `}
            {transform !== "none" && `of the values after ${transform}; `}press one to see it in the heatmap
          </small>
        </>
      }
      rows={blocks.rows}
      columns={blocks.columns}
      block={(row, column) => grid[places.rows.get(row.label)!]?.[places.columns.get(column.label)!]}
      scale={scale ?? kind.scale(grid.flat())}
      onLook={({ k, l }) => onLook(k, l)}
    />
  );
}

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
