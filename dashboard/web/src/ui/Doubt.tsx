import type { Verdict } from "../api/types";

const AXES = [
  ["rows", "rows"],
  ["columns", "columns"],
  ["log_joint", "log joint"],
] as const;

/** Where chains differ, and by how much: "rows and log joint, R-hat 2.58"; null where there is no doubt. */
export function doubtOf(verdict: Verdict | null): string | null {
  if (verdict === null || (verdict.kind !== "short" && verdict.kind !== "stuck")) return null;
  const nouns = AXES.filter(([axis]) => verdict[axis] === verdict.kind).map(([, noun]) => noun);
  const where = [nouns.slice(0, -1).join(", "), nouns.at(-1)].filter(Boolean).join(" and ");
  const figure = figureOf(verdict, nouns);
  return figure === null ? where : `${where}, ${figure}`;
}

function figureOf({ r_hat, ari }: Verdict, nouns: readonly string[]): string | null {
  if (r_hat !== null) return `R-hat ${r_hat >= 1.1 ? Number(r_hat.toPrecision(3)) : r_hat.toFixed(3)}`;
  // How alike partitions are says nothing of the log joint.
  return ari === null || !nouns.some((noun) => noun !== "log joint") ? null : `ARI between chains ${ari.toFixed(2)}`;
}

/** What to do about it, in a few words. */
export const adviceOf = (verdict: Verdict): string =>
  verdict.kind === "stuck"
    ? "The chains are stuck on different answers. Try a crossed start, the other sampler, or more restarts."
    : "Longer chains may settle it.";

/** "Not settled", beside the numbers of clusters; with where and how much, if there is room. */
export function Doubt({ verdict, full = false }: { verdict: Verdict | null; full?: boolean }) {
  const doubt = doubtOf(verdict);
  if (verdict === null || doubt === null) return null;
  return (
    <span class="badge doubtful" title={`${doubt}. ${adviceOf(verdict)}`}>
      <i aria-hidden="true">≠</i> {full ? `Not settled: ${doubt}` : "Not settled"}
    </span>
  );
}
