import type { Hint } from "../../api/names";
import type { Preflight } from "../../api/types";
import { Fact, format } from "../../ui";
import { Notes } from "./Notes";
import { warningsOf } from "./warnings";

interface Props {
  report: Preflight;
  /** What to do to follow a hint; undefined where nothing can be done here. */
  follow: (hint: Hint) => (() => void) | undefined;
}

/** What is in a table, and what to know of it before a run. */
export function PreflightReport({ report, follow }: Props) {
  const warnings = warningsOf(report);
  return (
    <>
      <dl class="facts" aria-label="What is in the table">
        <Fact name="Rows × columns">{format.shape(report.rows, report.columns, report.dimension)}</Fact>
        <Fact name="Missing cells">
          {format.count(report.missing)} <small>{format.percent(report.missing_share)}</small>
        </Fact>
        <Fact name={(report.categories ?? []).length > 0 ? "Categories" : "Range"}>{valuesOf(report)}</Fact>
        <Fact name="Shards">
          {format.count(report.shards)} <small>over the {report.axis}</small>
        </Fact>
      </dl>
      {warnings.length > 0 ? (
        <Notes notes={warnings} of="to know before the run" follow={follow} />
      ) : (
        <p class="note">Nothing odd was found in the table.</p>
      )}
    </>
  );
}

/** Categories that are named. */
const NAMED = 5;

/** What values there are: words, or a range of numbers. */
function valuesOf({ categories = [], low, high }: Preflight): string {
  if (categories.length > NAMED) {
    return `${categories.slice(0, NAMED).join(", ")} and ${format.count(categories.length - NAMED)} more`;
  }
  if (categories.length > 0) return categories.join(", ");
  return low === null ? "no number" : `${format.number(low)} to ${format.number(high)}`;
}
