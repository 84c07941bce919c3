import { Field as LabelledField } from "../../ui";
import type { Field } from "./parameters";

/** So many may follow one another. */
const MOST = 4;

/** Several choices in order: another one is offered after each. */
export function Steps(props: { field: Field; value: string; onSet: (value: string) => void }) {
  const { field, value, onSet } = props;
  const chosen = value === field.default ? [] : value.split(",");
  const set = (place: number, step: string): void => {
    const after = step === field.default ? [] : [step, ...chosen.slice(place + 1)];
    onSet([...chosen.slice(0, place), ...after].join(",") || field.default);
  };
  const offered = chosen.length < MOST ? [...chosen, field.default] : chosen;
  return (
    <>
      {offered.map((step, place) => (
        <LabelledField key={place} label={place === 0 ? field.label : `Then (${place + 1})`} hint={place === 0 ? field.hint : undefined}>
          {(tie) => (
            <select
              {...tie}
              name={place === 0 ? field.name : `${field.name}-${place + 1}`}
              value={step}
              onChange={(event) => set(place, event.currentTarget.value)}
            >
              {(field.choices ?? []).map(([choice, label]) => (
                <option key={choice} value={choice}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </LabelledField>
      ))}
    </>
  );
}
