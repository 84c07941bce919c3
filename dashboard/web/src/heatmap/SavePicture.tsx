/** Saves what a heatmap shows as a picture for a slide. */
import { useState } from "preact/hooks";

import { Button } from "../ui/Button";
import { download } from "../ui/download";
import { ASIDE } from "../levels/tree";
import * as format from "../ui/format";
import { itemsIn } from "./picture";
import { type Slide, pngOf, svgOf } from "./slide";
import type { Heatmap } from "./useHeatmap";

interface Props {
  readonly map: Heatmap;
  /** What it is a picture of, and what its file is called. */
  readonly title: string;
  readonly trees: boolean;
}

const KINDS = [
  ["png", "PNG", "A picture of points, 2,560 x 1,440"],
  ["svg", "SVG", "Lines and letters, to be edited"],
] as const;

export function SavePicture({ map, title, trees }: Props) {
  const [problem, setProblem] = useState<string>();
  const save = async (kind: "png" | "svg"): Promise<void> => {
    const slide = slideOf(map, title, trees);
    if (!slide) return;
    try {
      download(kind === "png" ? await pngOf(slide) : svgOf(slide), `${nameOf(title)}.${kind}`);
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div class="heatmap-save" role="group" aria-label="Save the picture">
      <small>Picture</small>
      {KINDS.map(([kind, name, what]) => (
        <Button key={kind} kind="quiet" disabled={!map.picture} onClick={() => void save(kind)} title={what} aria-label={`Save as ${name}`}>
          {name}
        </Button>
      ))}
      {problem && <small role="alert">{problem}</small>}
    </div>
  );
}

function slideOf({ view, picture, overview }: Heatmap, title: string, trees: boolean): Slide | undefined {
  if (!view || !picture) return undefined;
  const pictures = overview && overview !== picture ? [overview, picture] : [picture];
  return { title, subtitle: subtitleOf(picture, view), view, pictures, trees };
}

/** "178 rows x 13 columns in 5 row clusters x 4 column clusters", of what is in view. */
function subtitleOf({ answer, items }: NonNullable<Heatmap["picture"]>, view: NonNullable<Heatmap["view"]>): string {
  const rows = itemsIn(items?.rows, view.rows);
  const columns = itemsIn(items?.columns, view.columns);
  const table = `${format.plural(rows, "row")} × ${format.plural(columns, "column")}`;
  if (answer.order === "original") return `${table}, as they were read`;
  const number = (labels: readonly number[]): number => labels.filter((label) => label !== ASIDE).length;
  const clusters = `${format.plural(number(answer.row_labels), "row cluster")} × ${format.plural(number(answer.column_labels), "column cluster")}`;
  const all = items ? items.rows.count * items.columns.count : answer.shape[0]! * answer.shape[1]!;
  return rows * columns < all ? `${table} of a table in ${clusters}` : `${table} in ${clusters}`;
}

/** A name that every system takes for a file. */
const nameOf = (title: string): string => title.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "") || "heatmap";
