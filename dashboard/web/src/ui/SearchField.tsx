/** Longest name or id that can be looked for. */
const MOST = 200;

interface Props {
  /** What is looked for: "runs". */
  readonly of: string;
  readonly value: string;
  readonly onType: (text: string) => void;
}

/** A field that looks for things by name or id. */
export function SearchField({ of, value, onType }: Props) {
  return (
    <input
      type="search"
      class="search"
      aria-label={`Search ${of} by name or id`}
      placeholder="Search by name or id"
      maxLength={MOST}
      value={value}
      onInput={(event) => onType(event.currentTarget.value)}
    />
  );
}
