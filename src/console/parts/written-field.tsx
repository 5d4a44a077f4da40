import { type TextareaHTMLAttributes, useId } from 'react';

type WrittenFieldProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'rows' | 'onChange'> & {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: string;
  /** As many as are written, within these. */
  readonly rows: readonly [least: number, most: number];
  readonly onWrite: (text: string) => void;
};

/** A labelled text of several lines, as high as what is written. Its hint stands out while the text is invalid. */
export function WrittenField({ label, hint, value, rows: [least, most], onWrite, ...area }: WrittenFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="written"
        spellCheck={false}
        rows={Math.min(most, Math.max(least, value.split('\n').length + 1))}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        value={value}
        onChange={({ target }) => onWrite(target.value)}
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
