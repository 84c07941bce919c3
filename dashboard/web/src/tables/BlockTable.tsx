/** Blocks in numbers, shaded like the heatmap; each opens the heatmap at its place. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

import { colour, inkOn } from "../heatmap/colours";
import { type Scale, shareOf } from "../heatmap/scale";
import * as format from "../ui/format";
import { useOneStop } from "../ui/oneStop";
import { useDark } from "../ui/theme";
import type { Block } from "./block";
import type { Kind, Write } from "./kind";
import "./tables.css";

/** A cluster at the head of a line: its label, and how many items it has. */
export interface Head {
  readonly label: number;
  readonly size: number;
}

interface Props {
  /** What the blocks say. */
  readonly kind: Kind;
  readonly caption: ComponentChildren;
  readonly label: string;
  readonly rows: readonly Head[];
  readonly columns: readonly Head[];
  readonly block: (row: Head, column: Head) => Block | undefined;
  /** How blocks are shaded; undefined: not at all. */
  readonly scale: Scale | undefined;
  readonly onLook: (block: Block) => void;
}

export function BlockTable({ kind, caption, label, rows, columns, block, scale, onLook }: Props) {
  const theme = useDark() ? "dark" : "light";
  const box = useRef<HTMLDivElement>(null);
  useOneStop(box);
  const blocks = rows.map((row) => columns.map((column) => block(row, column)));
  const write = kind.writes(blocks.flat().filter((each) => each !== undefined));
  return (
    <div ref={box} class="wide tall" tabIndex={-1} role="region" aria-label={label}>
      <table class="block-table">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <td>
              <span class="spoken">Row clusters down, column clusters across</span>
            </td>
            {columns.map(({ label: l, size }) => (
              <th key={l} scope="col" class="number">
                {l} <small>{format.plural(size, "column")}</small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label: k, size }, i) => (
            <tr key={k}>
              <th scope="row" class="number">
                {k} <small>{format.plural(size, "row")}</small>
              </th>
              {columns.map(({ label: l }, j) => (
                <Cell key={l} {...{ block: blocks[i]![j], kind, write, scale, theme, onLook }} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({
  block,
  kind,
  write,
  scale,
  theme,
  onLook,
}: {
  block: Block | undefined;
  kind: Kind;
  write: Write;
  scale: Scale | undefined;
  theme: "light" | "dark";
  onLook: (block: Block) => void;
}) {
  if (!block || Number.isNaN(kind.centre(block))) return <td class="number no-cell">missing</td>;
  const share = scale && shareOf(scale, kind.centre(block));
  const shades =
    share === undefined
      ? {}
      : { background: colour(theme, share, scale!.kind), color: inkOn(theme, share, scale!.kind) };
  const [centre, ...rest] = kind.lines(block, write);
  const [mark, odd] = block.odd ? ["† ", `, ${kind.odd}`] : ["", ""];
  return (
    <td class="number" style={shades}>
      <button
        type="button"
        class="plain"
        onClick={() => onLook(block)}
        title={kind.detail(block, write)}
        aria-label={`${mark}${[centre, ...rest].join(" ")}${odd}, block ${block.k}, ${block.l}: show it in the heatmap`}
      >
        <b>
          {mark}
          {centre}
        </b>
        {rest.map((line) => [
          " ",
          <span key={line} class="sd">
            {line}
          </span>,
        ])}
      </button>
    </td>
  );
}
