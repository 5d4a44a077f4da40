import { type RefObject, useMemo } from 'react';
import type { Diagnostic } from '../../scenario/diagnostic.ts';

type SourceAreaProps = {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly textArea: RefObject<HTMLTextAreaElement | null>;
  readonly readOnly: boolean;
  readonly onChange: (text: string) => void;
};

/** A text area with line numbers. A layer behind it shows each diagnostic at the end of its line. */
export function SourceArea({ text, diagnostics, textArea, readOnly, onChange }: SourceAreaProps) {
  const lines = useMemo(() => text.split('\n'), [text]);
  const byLine = useMemo(() => Map.groupBy(diagnostics, ({ range }) => range.start.line), [diagnostics]);
  return (
    <div className="editor">
      <div className="editor-backdrop" aria-hidden="true">
        {lines.map((line, index) => {
          const lineDiagnostics = byLine.get(index + 1);
          const mainDiagnostic = lineDiagnostics?.find(({ severity }) => severity === 'error') ?? lineDiagnostics?.[0];
          return (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
              key={index}
              className={mainDiagnostic ? `editor-line is-${mainDiagnostic.severity}` : 'editor-line'}
              data-line={index + 1}
            >
              <span className="line-number">{index + 1}</span>
              <span className="ghost">{line}</span>
              {mainDiagnostic ? <span className="editor-message">{mainDiagnostic.message}</span> : null}
            </div>
          );
        })}
      </div>
      <textarea
        ref={textArea}
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
