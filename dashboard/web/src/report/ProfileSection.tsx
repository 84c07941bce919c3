/** What makes each row cluster. */
import * as format from "../ui/format";
import type { Profile } from "./document";

export function ProfileSection({ profiles }: { profiles: readonly Profile[] }) {
  if (profiles.length < 2) return null;
  return (
    <section aria-labelledby="profiles-title">
      <div class="bar">
        <h2 id="profiles-title">
          What makes each row cluster{" "}
          <small>columns that set it apart from all others, the most telling first</small>
        </h2>
      </div>
      <dl class="profiles">
        {profiles.map(({ cluster, size, sentence }) => (
          <div key={cluster}>
            <dt>
              <strong>{cluster}</strong> {format.plural(size, "row")}
            </dt>
            <dd>{toldOf(sentence)}</dd>
          </div>
        ))}
      </dl>
      <p class="note">
        The clusters are those shown first. About 5 % of the columns named are expected to be there by chance.{" "}
        <code>disnplbm explain</code> names more of them, at any number of clusters.
      </p>
    </section>
  );
}

/** A sentence without the cluster and its size, which stand before it. */
export function toldOf(sentence: string): string {
  const told = sentence.slice(sentence.indexOf("; ") + 2);
  return told.charAt(0).toUpperCase() + told.slice(1);
}
