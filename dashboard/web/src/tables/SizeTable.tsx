/** The clusters of an axis: how large they are, how sure, and who is in them; each opens the heatmap at its place. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

import * as format from "../ui/format";
import { useOneStop } from "../ui/oneStop";
import "./tables.css";

export interface Size {
  readonly label: number;
  readonly size: number;
  /** Names of the first of its members; none where they have none. */
  readonly members: readonly string[];
  /** Mean confidence of its members, 0 to 1; undefined without draws. */
  readonly confidence: number | undefined;
}

interface Props {
  readonly title: string;
  readonly note: ComponentChildren;
  readonly word: string;
  readonly sizes: readonly Size[];
  /** Items of all clusters, also of those that are not shown. */
  readonly total: number;
  readonly onLook: (cluster: number) => void;
  /** List all members of a cluster; undefined: their names are not known. */
  readonly onMembers?: ((cluster: number) => void) | undefined;
}

export function SizeTable({ title, note, word, sizes, total, onLook, onMembers }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useOneStop(box);
  const largest = Math.max(1, ...sizes.map(({ size }) => size));
  const sure = sizes.some(({ confidence }) => confidence !== undefined);
  const named = onMembers !== undefined || sizes.some(({ members }) => members.length > 0);
  return (
    <div ref={box} class="wide tall" tabIndex={-1} role="region" aria-label={title}>
      <table class="size-table">
        <caption>
          {title} <small>{note}</small>
        </caption>
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
            {named && <th>Members</th>}
          </tr>
        </thead>
        <tbody>
          {sizes.map(({ label, size, members, confidence }) => (
            <tr key={label}>
              <th scope="row">
                <button
                  type="button"
                  class="plain"
                  onClick={() => onLook(label)}
                  aria-label={`Show ${word} cluster ${label} in the heatmap`}
                >
                  {label}
                </button>
              </th>
              <td class="number">{format.plural(size, word)}</td>
              <td class="number">{format.percent(size / total)}</td>
              <td class="size-bar">
                <i style={{ width: `${(100 * size) / largest}%` }} />
              </td>
              {sure && (
                <td
                  class="number"
                  title="Mean confidence: how often, of the draws, a member is together with another one of its cluster"
                >
                  {format.percent(confidence)}
                </td>
              )}
              {named && (
                <td class="members">
                  {onMembers && members.length < size ? (
                    <>
                      {members.length > 0 && `${members.join(", ")} and `}
                      <More word={word} label={label} known={members.length} size={size} onMembers={onMembers} />
                    </>
                  ) : (
                    listed(members, size)
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Lists the members that are not named. */
function More({
  word,
  label,
  known,
  size,
  onMembers,
}: {
  word: string;
  label: number;
  known: number;
  size: number;
  onMembers: (cluster: number) => void;
}) {
  const text = known > 0 ? `${format.count(size - known)} more` : `list all ${format.count(size)}`;
  return (
    <button
      type="button"
      class="plain"
      onClick={() => onMembers(label)}
      aria-label={`${text} of ${word} cluster ${label}`}
      title="List all members"
    >
      {text}
    </button>
  );
}

/** "a, b and 3 more". */
function listed(names: readonly string[], size: number): string {
  const rest = size - names.length;
  return `${names.join(", ")}${rest > 0 ? ` and ${format.count(rest)} more` : ""}`;
}
