import type { Diagnostic } from '../../scenario/diagnostic.ts';
import type { ScenarioEdit } from '../../scenario/quick-fix.ts';
import { findQuickFixes } from '../../scenario/quick-fixes.ts';

type DiagnosticListProps = {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly canFix: boolean;
  /** Moves to the position of the problem. */
  readonly onSelect: (diagnostic: Diagnostic) => void;
  readonly onFix: (edit: ScenarioEdit) => void;
};

/** All problems with their positions, and a button for each fix. */
export function DiagnosticList({ text, diagnostics, canFix, onSelect, onFix }: DiagnosticListProps) {
  return (
    <ul className="diagnostics" aria-label="Problems">
      {diagnostics.map((diagnostic) => {
        const { code, severity, message, cure, range } = diagnostic;
        return (
          <li key={`${code} ${range.start.offset} ${message}`} className={`is-${severity}`}>
            <button type="button" className="diagnostic" onClick={() => onSelect(diagnostic)}>
              <span className="diagnostic-position">
                {severity === 'error' ? '✕' : '!'} {range.start.line}:{range.start.column}
              </span>
              <span>
                {message}; <span className="faint">{cure}</span>
              </span>
            </button>
            {canFix
              ? findQuickFixes(text, diagnostic).map(({ title, edit }) => (
                  <button key={title} type="button" className="quick-fix" onClick={() => onFix(edit)}>
                    {title}
                  </button>
                ))
              : null}
          </li>
        );
      })}
    </ul>
  );
}
