import { type TextareaHTMLAttributes, useId } from 'react';

type TextAreaFieldProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'rows' | 'onChange'> & {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: string;
  /** The height follows the text within these limits. */
  readonly rows: readonly [minRows: number, maxRows: number];
  readonly onTextChange: (text: string) => void;
};

/** A labelled text area that grows with its text. The hint is highlighted while the text is invalid. */
export function TextAreaField({
  label,
  hint,
  value,
  rows: [minRows, maxRows],
  onTextChange,
  ...area
}: TextAreaFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="written"
        spellCheck={false}
        rows={Math.min(maxRows, Math.max(minRows, value.split('\n').length + 1))}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        value={value}
        onChange={({ target }) => onTextChange(target.value)}
        {...area}
      />
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className={area['aria-invalid'] === true ? 'hint soon' : 'hint'}>
          {hint}
        </p>
      )}
    </div>
  );
}
