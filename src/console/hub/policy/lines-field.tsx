import { useState } from 'react';
import { TextAreaField } from '../../components/text-area-field.tsx';

type LinesFieldProps = {
  readonly label: string;
  readonly hint?: string;
  readonly lines: readonly string[];
  readonly readOnly: boolean;
  readonly placeholder?: string;
  readonly onWrite: (lines: readonly string[]) => void;
};

function parseLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A list with one item per line. The typed text is kept while it parses to the same list. */
export function LinesField({ label, hint, lines, readOnly, placeholder, onWrite }: LinesFieldProps) {
  const [text, setText] = useState(() => lines.join('\n'));
  const displayedText = parseLines(text).join('\n') === lines.join('\n') ? text : lines.join('\n');
  return (
    <TextAreaField
      label={label}
      hint={hint}
      rows={[2, 10]}
      readOnly={readOnly}
      placeholder={placeholder}
      value={displayedText}
      onTextChange={(newText) => {
        setText(newText);
        onWrite(parseLines(newText));
      }}
    />
  );
}
