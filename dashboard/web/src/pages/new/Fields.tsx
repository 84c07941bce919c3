import { type ComponentChildren, Fragment } from "preact";

import { Field as LabelledField } from "../../ui";
import {
  ADVANCED,
  type About,
  type Field,
  type FieldName,
  MAIN,
  type Values,
  faultOf,
  fieldsFor,
  hintOf,
  isChanged,
  valueOf,
} from "./parameters";
import { Steps } from "./Steps";

interface Props {
  values: Values;
  onChange: (values: Values) => void;
  /** What the name is if none is given. */
  name: string;
  /** What the run is like: what says nothing of it is not asked. */
  about: About;
  /** Stands behind the field of what counts are compared with, where that is factors. */
  factors: ComponentChildren;
}

/** What most runs need, and folded what some do. */
export function Fields({ values, onChange, name, about, factors }: Props) {
  const set = (of: FieldName, value: string): void => onChange({ ...values, [of]: value });
  const changed = ADVANCED.some(({ fields }) => isChanged(values, fields));
  return (
    <>
      <div class="fields">
        {fieldsFor(MAIN, values, about).map((field) => (
          <OneField
            key={field.name}
            field={field}
            values={values}
            onSet={set}
            placeholder={field.name === "name" ? name : ""}
          />
        ))}
      </div>
      <details
        class="advanced"
        open={changed}
        // What is wrong must be seen.
        onInvalidCapture={(event: Event) => {
          (event.currentTarget as HTMLDetailsElement).open = true;
        }}
      >
        <summary>Advanced parameters</summary>
        {ADVANCED.map(({ title, fields }) => ({ title, fields: fieldsFor(fields, values, about) })).map(({ title, fields }) => (
          <fieldset key={title}>
            <legend>{title}</legend>
            <div class="fields">
              {fields.map((field) => (
                <Fragment key={field.name}>
                  <OneField field={field} values={values} onSet={set} placeholder="" />
                  {field.name === "exposure" && values.exposure === "given" && factors}
                </Fragment>
              ))}
            </div>
          </fieldset>
        ))}
      </details>
    </>
  );
}

function OneField(props: {
  field: Field;
  values: Values;
  onSet: (name: FieldName, value: string) => void;
  placeholder: string;
}) {
  const { field, values, onSet, placeholder } = props;
  const value = valueOf(values, field);
  const set = (now: string): void => onSet(field.name, now);
  if (field.kind === "switch") {
    const choices = [["true", "on"], ["false", "off"]] as const;
    return <Choice field={field} value={value} choices={choices} onSet={set} />;
  }
  if (field.kind === "steps") return <Steps field={field} value={value} onSet={set} />;
  if (field.kind === "choice") return <Choice field={field} value={value} choices={choicesOf(field, value)} onSet={set} />;
  return (
    <LabelledField label={field.label} hint={hintOf(field)}>
      {(tie) => (
        <input
          {...tie}
          name={field.name}
          {...typing(field)}
          placeholder={placeholder || field.placeholder || field.default}
          value={values[field.name] ?? ""}
          ref={(input) => input?.setCustomValidity(faultOf(field, values[field.name] ?? ""))}
          onInput={(event) => set(event.currentTarget.value.trim())}
        />
      )}
    </LabelledField>
  );
}

function Choice(props: {
  field: Field;
  value: string;
  choices: readonly (readonly [value: string, label: string])[];
  onSet: (value: string) => void;
}) {
  const { field, value, choices, onSet } = props;
  return (
    <LabelledField label={field.label} hint={field.hint}>
      {(tie) => (
        <select {...tie} name={field.name} value={value} onChange={(event) => onSet(event.currentTarget.value)}>
          {choices.map(([choice, label]) => (
            <option key={choice} value={choice}>
              {label}
            </option>
          ))}
        </select>
      )}
    </LabelledField>
  );
}

/** Those that can be chosen, and what another run has, which may be one that cannot be asked for here. */
function choicesOf(field: Field, value: string): readonly (readonly [string, string])[] {
  const found = field.choices ?? [];
  return found.some(([choice]) => choice === value) ? found : [...found, [value, value]];
}

/** A whole number of more digits than JavaScript holds is typed as text. */
function typing(field: Field): Record<string, unknown> {
  if (field.kind === "text") return { maxLength: 200 };
  if (field.kind === "whole") return { inputMode: "numeric" };
  return field.kind === "number" ? { inputMode: "decimal" } : {};
}
