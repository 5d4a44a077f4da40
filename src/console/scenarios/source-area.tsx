import { type RefObject, useMemo } from 'react';
import type { Diagnostic } from '../../scenario/diagnostic.ts';

type SourceAreaProps = {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly readOnly: boolean;
  readonly onChange: (text: string) => void;
};

/** A text with line numbers. Behind it, line by line, stands what is wrong, where the line ends. */
export function SourceArea({ text, diagnostics, area, readOnly, onChange }: SourceAreaProps) {
  const lines = useMemo(() => text.split('\n'), [text]);
  const byLine = useMemo(() => Map.groupBy(diagnostics, ({ range }) => range.start.line), [diagnostics]);
  return (
    <div className="editor">
      <div className="editor-back" aria-hidden="true">
        {lines.map((line, index) => {
          const here = byLine.get(index + 1);
          const first = here?.find(({ severity }) => severity === 'error') ?? here?.[0];
          return (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
              key={index}
              className={first ? `editor-line is-${first.severity}` : 'editor-line'}
              data-line={index + 1}
            >
              <span className="line-number">{index + 1}</span>
              <span className="ghost">{line}</span>
              {first ? <span className="lens">{first.message}</span> : null}
            </div>
          );
        })}
      </div>
      <textarea
        ref={area}
        aria-label="Source"
        aria-describedby="editor-status"
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        readOnly={readOnly}
        rows={lines.length}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
