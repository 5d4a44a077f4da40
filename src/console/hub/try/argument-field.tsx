import { type ReactNode, useId } from 'react';
import type { SchemaField } from './schema-fields.ts';

type ArgumentFieldProps = {
  readonly field: SchemaField;
  readonly text: string;
  readonly onWrite: (text: string) => void;
};

export function ArgumentField({ field, text, onWrite }: ArgumentFieldProps) {
  const id = useId();
  const { label, hint, isRequired, kind } = field;
  const notes = [hint, kind === 'list' ? 'One per line.' : '', kind === 'json' ? 'As JSON.' : ''];
  const note = notes.filter((part) => part !== '').join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {isRequired ? <span className="faint plain">required</span> : null}
      </label>
      {renderInput(field, text, onWrite, {
        id,
        required: isRequired,
        'aria-describedby': note ? `${id}-hint` : undefined,
      })}
      {note === '' ? null : (
        <p id={`${id}-hint`} className="hint preserve-lines">
          {note}
        </p>
      )}
    </div>
  );
}

type CommonInputProps = {
  readonly id: string;
  readonly required: boolean;
  readonly 'aria-describedby': string | undefined;
};

function renderInput(
  { kind, choices, isInteger, min, max }: SchemaField,
  text: string,
  onWrite: (text: string) => void,
  common: CommonInputProps,
): ReactNode {
  const write = ({ target }: { target: { value: string } }): void => onWrite(target.value);
  switch (kind) {
    case 'choice':
    case 'yes_no':
      return (
        <select {...common} value={text} onChange={write}>
          <option value="">{common.required ? 'choose…' : 'not set'}</option>
          {(kind === 'yes_no' ? [true, false] : choices).map((choice) => {
            const value = JSON.stringify(choice);
            return (
              <option key={value} value={value}>
                {typeof choice === 'string' ? choice : value}
              </option>
            );
          })}
        </select>
      );
    case 'number':
      return (
        <input
          {...common}
          type="number"
          step={isInteger ? 1 : 'any'}
          min={min}
          max={max}
          value={text}
          onChange={write}
        />
      );
    case 'text':
      return <input {...common} autoComplete="off" value={text} onChange={write} />;
    default: {
      const rows = Math.min(12, Math.max(3, text.split('\n').length));
      return <textarea {...common} className="written" spellCheck={false} rows={rows} value={text} onChange={write} />;
    }
  }
}
