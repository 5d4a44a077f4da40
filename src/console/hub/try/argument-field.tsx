import { type ReactNode, useId } from 'react';
import type { SchemaField } from './schema-fields.ts';

type FieldProps = { readonly field: SchemaField; readonly text: string; readonly onWrite: (text: string) => void };

/** One argument. */
export function ArgumentField({ field, text, onWrite }: FieldProps) {
  const id = useId();
  const { label, hint, isRequired, kind } = field;
  const notes = [hint, kind === 'list' ? 'One to a line.' : '', kind === 'json' ? 'As JSON.' : ''];
  const note = notes.filter((one) => one !== '').join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {isRequired ? <span className="faint plain">required</span> : null}
      </label>
      {inputOf(field, text, onWrite, { id, required: isRequired, 'aria-describedby': note ? `${id}-hint` : undefined })}
      {note === '' ? null : (
        <p id={`${id}-hint`} className="hint told-text">
          {note}
        </p>
      )}
    </div>
  );
}

type Common = { readonly id: string; readonly required: boolean; readonly 'aria-describedby': string | undefined };

function inputOf(
  { kind, choices, isWhole, min, max }: SchemaField,
  text: string,
  onWrite: (text: string) => void,
  common: Common,
): ReactNode {
  const write = ({ target }: { target: { value: string } }): void => onWrite(target.value);
  switch (kind) {
    case 'choice':
    case 'yes_no':
      return (
        <select {...common} value={text} onChange={write}>
          <option value="">{common.required ? 'choose…' : 'left out'}</option>
          {(kind === 'yes_no' ? [true, false] : choices).map((one) => {
            const value = JSON.stringify(one);
            return (
              <option key={value} value={value}>
                {typeof one === 'string' ? one : value}
              </option>
            );
          })}
        </select>
      );
    case 'number':
      return (
        <input {...common} type="number" step={isWhole ? 1 : 'any'} min={min} max={max} value={text} onChange={write} />
      );
    case 'text':
      return <input {...common} autoComplete="off" value={text} onChange={write} />;
    default: {
      const rows = Math.min(12, Math.max(3, text.split('\n').length));
      return <textarea {...common} className="written" spellCheck={false} rows={rows} value={text} onChange={write} />;
    }
  }
}
