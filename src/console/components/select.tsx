import { useId } from 'react';

type SelectProps<V extends string> = {
  readonly label: string;
  readonly value: V;
  readonly options: readonly (readonly [value: V, text: string])[];
  readonly onSelect: (value: V) => void;
  readonly hideLabel?: boolean;
};

/** A labelled select. With `hideLabel` the label is only for assistive technology. */
export function Select<V extends string>({ label, value, options, onSelect, hideLabel = false }: SelectProps<V>) {
  const id = useId();
  const select = (text: string): void => {
    const option = options.find(([name]) => name === text);
    if (option) onSelect(option[0]);
  };
  return (
    <span className="choice">
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => select(event.target.value)}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}
