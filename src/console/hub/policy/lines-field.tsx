import { useState } from 'react';
import { WrittenField } from '../../parts/written-field.tsx';

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
  const [text, setText] = useState(() => lines.join('\n'));
  const shown = linesOf(text).join('\n') === lines.join('\n') ? text : lines.join('\n');
  return (
    <WrittenField
      label={label}
      hint={hint}
      rows={[2, 10]}
      readOnly={readOnly}
      placeholder={placeholder}
      value={shown}
      onWrite={(written) => {
        setText(written);
        onWrite(linesOf(written));
      }}
    />
  );
}
