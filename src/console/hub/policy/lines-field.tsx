import { useId, useState } from 'react';

type LinesFieldProps = {
  readonly label: string;
  readonly hint?: string;
  readonly lines: readonly string[];
  readonly readOnly: boolean;
  readonly placeholder?: string;
  readonly onWrite: (lines: readonly string[]) => void;
};

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A list, one to a line. What is written stays as it is while it stands for the same list. */
export function LinesField({ label, hint, lines, readOnly, placeholder, onWrite }: LinesFieldProps) {
  const id = useId();
  const [text, setText] = useState(() => lines.join('\n'));
  const shown = linesOf(text).join('\n') === lines.join('\n') ? text : lines.join('\n');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="written"
        rows={Math.min(10, Math.max(2, shown.split('\n').length))}
        spellCheck={false}
        readOnly={readOnly}
        placeholder={placeholder}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        value={shown}
        onChange={({ target }) => {
          setText(target.value);
          onWrite(linesOf(target.value));
        }}
      />
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
