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
        {profiles.map(({ cluster, size, told }) => (
          <div key={cluster}>
            <dt>
              <strong>{cluster}</strong> {format.plural(size, "row")}
            </dt>
            <dd>{capitalized(told)}.</dd>
          </div>
        ))}
      </dl>
      <p class="note">
        The clusters are those shown first. At most 5 % of the columns named are expected to be there by chance.{" "}
        <code>disnplbm explain</code> names more of them, at any number of clusters.
      </p>
    </section>
  );
}

/** A text with a capital letter in front. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
