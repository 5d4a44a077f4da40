import { useId } from 'react';

type ChoiceProps<V extends string> = {
  readonly label: string;
  readonly value: V;
  readonly options: readonly (readonly [value: V, text: string])[];
  readonly onChoose: (value: V) => void;
  readonly bare?: boolean;
};

/** A select; `bare` keeps its label for those who listen. */
export function Choice<V extends string>({ label, value, options, onChoose, bare = false }: ChoiceProps<V>) {
  const id = useId();
  const choose = (text: string): void => {
    const found = options.find(([name]) => name === text);
    if (found) onChoose(found[0]);
  };
  return (
    <span className="choice">
      <label htmlFor={id} className={bare ? 'unseen' : undefined}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => choose(event.target.value)}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}
