/** The list of a cluster's members, where one was asked for. */
import * as format from "../ui/format";
import { ASIDE } from "../levels/tree";
import type { Rosters } from "./Find";
import { MemberList } from "./MemberList";
import { placesOf } from "./roster";

/** A cluster of an axis; {@link ASIDE}: what is set aside. */
export interface Listed {
  readonly axis: "rows" | "columns";
  readonly label: number;
}

interface Props {
  readonly rosters: Rosters;
  readonly listed: Listed;
  readonly onLook: (axis: "rows" | "columns", place: number) => void;
  readonly onClose: () => void;
}

export function Members({ rosters, listed: { axis, label }, onLook, onClose }: Props) {
  const roster = rosters[axis];
  const word = axis === "rows" ? "row" : "column";
  const places = roster ? placesOf(roster, label) : [];
  const size = format.plural(places.length, word);
  const title = label === ASIDE ? `${size} set aside` : `${size} in ${word} cluster ${label}`;
  const without = roster === undefined ? "Reading the names…" : `The names could not be read: look in ${axis}.csv`;
  return (
    <MemberList
      title={roster ? title : without}
      names={roster?.names ?? []}
      places={places}
      onLook={(place) => onLook(axis, place)}
      onClose={onClose}
    />
  );
}
