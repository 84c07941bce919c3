/** What makes each cluster of an axis. */
import * as format from "../ui/format";
import type { Profile } from "./document";

interface Props {
  readonly axis: "rows" | "columns";
  /** Of the clusters that are shown first; none where the table is large, or they are many. */
  readonly profiles: readonly Profile[];
  /** Clusters of the run. */
  readonly fine: number;
}

export function ProfileSection({ axis, profiles, fine }: Props) {
  if (profiles.length === 1 || fine < 2) return null;
  const [word, other] = axis === "rows" ? ["row", "columns"] : ["column", "rows"];
  const command = <code>disnplbm explain{axis === "columns" && " --axis columns"}</code>;
  return (
    <section aria-labelledby={`profiles-${axis}`}>
      <div class="bar">
        <h2 id={`profiles-${axis}`}>
          What makes each {word} cluster{" "}
          {profiles.length > 0 && <small>{other} that set it apart from all others, the most telling first</small>}
        </h2>
      </div>
      {profiles.length === 0 ? (
        <p class="note">
          This report does not tell it, because the table is large or the clusters shown first are many. {command} tells
          it.
        </p>
      ) : (
        <>
          <dl class="profiles">
            {profiles.map(({ cluster, size, told }) => (
              <div key={cluster}>
                <dt>
                  <strong>{cluster}</strong> {format.plural(size, word!)}
                </dt>
                <dd>{capitalized(told)}.</dd>
              </div>
            ))}
          </dl>
          <p class="note">
            The clusters are those shown first. At most 5 % of the {other} named are expected to be there by chance.{" "}
            {command} names more of them, at any number of clusters.
          </p>
        </>
      )}
    </section>
  );
}

/** A text with a capital letter in front. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
