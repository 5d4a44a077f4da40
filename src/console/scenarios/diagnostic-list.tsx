import type { Diagnostic } from '../../scenario/diagnostic.ts';

/** All problems with their positions. Selecting one moves to its position. */
export function DiagnosticList({
  diagnostics,
  onSelect,
}: {
  diagnostics: readonly Diagnostic[];
  onSelect: (diagnostic: Diagnostic) => void;
}) {
  return (
    <ul className="diagnostics" aria-label="Problems">
      {diagnostics.map((diagnostic) => {
        const { code, severity, message, cure, range } = diagnostic;
        return (
          <li key={`${code} ${range.start.offset} ${message}`} className={`is-${severity}`}>
            <button type="button" onClick={() => onSelect(diagnostic)}>
              <span className="diagnostic-position">
                {severity === 'error' ? '✕' : '!'} {range.start.line}:{range.start.column}
              </span>
              <span>
                {message}; <span className="faint">{cure}</span>
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
