import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { Button, Field } from "../../ui";
import type { Preview } from "./preview";
import { AS_IT_IS, LABELS, NO_COLUMN, type ReadBy, type Reading } from "./reading";

interface Props {
  reading: Reading;
  onChange: (reading: Reading) => void;
  /** What the server says of the first lines; undefined where they are not known here. */
  preview: Preview | undefined;
  /** What the file holds: lines of text, named columns, layers of them, or numbers only. */
  kind: ReadBy;
}

/** How a file is read: the questions of the command line, on the page. */
export function ReadingFields({ reading, onChange, preview, kind }: Props) {
  const text = kind === "text";
  const set = (changes: Partial<Reading>): void => onChange({ ...reading, ...changes });
  // Of a wide table the server tells the first names only: others are typed.
  const offered =
    preview !== undefined && preview.names.length > 0 && preview.names.length === preview.columns
      ? [...new Set(preview.names)]
      : undefined;
  if (kind === "numbers") return <Swap reading={reading} onChange={onChange} />;
  return (
    <>
      <div class="fields">
        <Role
          label={LABELS.id_column}
          hint="The column that names each row. It is not data."
          value={reading.id_column}
          names={offered}
          none={NO_COLUMN}
          judged={judged(preview?.id_column)}
          onChange={(id_column) => set({ id_column })}
        />
        <Role
          label={LABELS.class_column}
          hint="The clusters are compared with them. The fit does not see them."
          value={reading.class_column}
          names={offered}
          onChange={(class_column) => set({ class_column })}
        />
        {text && (
          <Choice
            label={LABELS.header}
            value={String(reading.header)}
            choices={[
              ["auto", judged(HEADERS[String(preview?.header)])],
              ["true", "Yes"],
              ["false", "No, it is a row of the table"],
            ]}
            onChange={(value) => set({ header: value === "auto" ? "auto" : value === "true" })}
          />
        )}
        {kind === "layers" && (
          <Field label={LABELS.layer} hint="What is read instead of X, such as counts; raw is the raw matrix.">
            {(tie) => (
              <input
                {...tie}
                value={reading.layer ?? ""}
                placeholder="Name of a layer, or empty"
                maxLength={200}
                onInput={(event) => set({ layer: event.currentTarget.value || null })}
              />
            )}
          </Field>
        )}
        <Several
          label={LABELS.drop_columns}
          hint="Text, dates, or numbers that are not measurements."
          values={reading.drop_columns}
          names={offered}
          onChange={(drop_columns) => set({ drop_columns })}
        />
      </div>
      <details class="advanced" open={isSpecial(reading)}>
        <summary>{text ? "Separator, decimal mark, missing cells, rows and columns" : "Rows and columns"}</summary>
        <div class="fields">
          {text && (
            <>
              <Choice
                label={LABELS.delimiter}
                value={reading.delimiter}
                choices={[
                  ["auto", judged(preview?.delimiter)],
                  ["comma", "Comma"],
                  ["semicolon", "Semicolon"],
                  ["tab", "Tab"],
                  ["space", "Blanks"],
                  ["pipe", "Pipe |"],
                ]}
                onChange={(delimiter) => set({ delimiter })}
              />
              <Choice
                label={LABELS.decimal}
                value={reading.decimal}
                choices={[
                  ["auto", judged(MARKS[preview?.decimal ?? ""])],
                  [".", "Point, as in 1.5"],
                  [",", "Comma, as in 1,5"],
                ]}
                onChange={(decimal) => set({ decimal: decimal as Reading["decimal"] })}
              />
              <Choice
                label={LABELS.thousands}
                value={reading.thousands}
                choices={[
                  ["none", "Nothing"],
                  [",", "Comma, as in 1,234"],
                  [".", "Point, as in 1.234"],
                  [" ", "Blank, as in 1 234"],
                  ["'", "Apostrophe, as in 1'234"],
                ]}
                onChange={(thousands) => set({ thousands: thousands as Reading["thousands"] })}
              />
              <Several
                label={LABELS.missing}
                hint="Besides blank, NA and NaN."
                values={reading.missing}
                names={undefined}
                onChange={(missing) => set({ missing })}
              />
              <Choice
                label={LABELS.layout}
                value={reading.layout}
                choices={[
                  ["auto", judged()],
                  ["table", "A table: a line for each row"],
                  ["long", "Long: a line for each cell"],
                ]}
                onChange={(layout) =>
                  set({ layout: layout as Reading["layout"], absent: layout === "long" ? reading.absent : AS_IT_IS.absent })
                }
              />
              {reading.layout === "long" && (
                <Choice
                  label={LABELS.absent}
                  value={reading.absent}
                  choices={[
                    ["missing", "Missing"],
                    ["zero", "Zero"],
                  ]}
                  onChange={(absent) => set({ absent: absent as Reading["absent"] })}
                />
              )}
            </>
          )}
          <Choice
            label={LABELS.words}
            value={reading.words}
            choices={[
              ["auto", judged()],
              ["yes", "Categories"],
              ["no", "A fault: cells are numbers"],
            ]}
            onChange={(words) => set({ words: words as Reading["words"] })}
          />
          <Swap reading={reading} onChange={onChange} />
        </div>
      </details>
    </>
  );
}

/** The choice that leaves it to the server, with what that finds. */
const judged = (found?: string | null): string => (found ? `Automatic: ${found}` : "Automatic");

const HEADERS: Record<string, string> = { true: "column names", false: "a row of data" };

const MARKS: Record<string, string> = { ".": "point", ",": "comma" };

/** Whether something is set in the part that is folded. */
const isSpecial = (reading: Reading): boolean =>
  reading.delimiter !== "auto" ||
  reading.decimal !== "auto" ||
  reading.thousands !== "none" ||
  reading.missing.length > 0 ||
  reading.layout !== "auto" ||
  reading.words !== "auto" ||
  reading.transpose;

function Swap({ reading, onChange }: { reading: Reading; onChange: (reading: Reading) => void }) {
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={reading.transpose}
        onChange={(event) => onChange({ ...reading, transpose: event.currentTarget.checked })}
      />
      Swap rows and columns
    </label>
  );
}

function Choice(props: {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}) {
  const { label, value, choices, onChange } = props;
  const all = choices.some(([choice]) => choice === value) ? choices : [...choices, [value, value] as const];
  return (
    <Field label={label}>
      {(tie) => (
        <select {...tie} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {all.map(([choice, said]) => (
            <option key={choice} value={choice}>
              {said}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Role(props: {
  label: string;
  hint: ComponentChildren;
  value: string | null;
  names: string[] | undefined;
  /** What says that there is no such column, where null lets the server look for one. */
  none?: string;
  /** What null is called then. */
  judged?: string;
  onChange: (name: string | null) => void;
}) {
  const { label, hint, value, names, none, judged, onChange } = props;
  return (
    <Field label={label} hint={hint}>
      {(tie) =>
        names === undefined ? (
          <input
            {...tie}
            value={value ?? ""}
            placeholder="Name of a column, or empty"
            maxLength={200}
            onInput={(event) => onChange(event.currentTarget.value || null)}
          />
        ) : (
          <select {...tie} value={value ?? ""} onChange={(event) => onChange(event.currentTarget.value || null)}>
            <option value="">{judged ?? "None"}</option>
            {none !== undefined && <option value={none}>None: all columns are data</option>}
            {[...new Set([...names, ...(value === null || value === none ? [] : [value])])].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )
      }
    </Field>
  );
}

function Several(props: {
  label: string;
  hint: ComponentChildren;
  values: string[];
  /** What can be chosen; undefined where it is typed. */
  names: string[] | undefined;
  onChange: (values: string[]) => void;
}) {
  const { label, hint, values, names, onChange } = props;
  const [typed, setTyped] = useState("");
  const add = (value: string): void => {
    if (value !== "" && !values.includes(value)) onChange([...values, value]);
    setTyped("");
  };
  return (
    <div class="stack several">
      <Field label={label} hint={hint}>
        {(tie) =>
          names === undefined ? (
            <span class="adding">
              <input
                {...tie}
                value={typed}
                maxLength={200}
                onInput={(event) => setTyped(event.currentTarget.value)}
                onKeyDown={(event) => {
                  if (event.key !== "Enter") return;
                  // It adds, and does not send what is around it.
                  event.preventDefault();
                  add(typed);
                }}
              />
              <Button disabled={typed === ""} onClick={() => add(typed)}>
                Add
              </Button>
            </span>
          ) : (
            <select {...tie} value="" onChange={(event) => add(event.currentTarget.value)}>
              <option value="">Choose a column</option>
              {names
                .filter((name) => !values.includes(name))
                .map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
            </select>
          )
        }
      </Field>
      {values.length > 0 && (
        <ul class="chosen-values">
          {values.map((value) => (
            <li key={value}>
              <Button
                kind="quiet"
                aria-label={`Do not list ${value}`}
                onClick={() => onChange(values.filter((other) => other !== value))}
              >
                {value} <span aria-hidden="true">×</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
