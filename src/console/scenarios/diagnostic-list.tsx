import type { Diagnostic } from '../../scenario/diagnostic.ts';

/** Every problem with its place; pressing one goes there. */
export function DiagnosticList({
  diagnostics,
  onGo,
}: {
  diagnostics: readonly Diagnostic[];
  onGo: (diagnostic: Diagnostic) => void;
}) {
  return (
    <ul className="diagnostics" aria-label="Problems">
      {diagnostics.map((diagnostic) => {
        const { code, severity, message, cure, range } = diagnostic;
        return (
          <li key={`${code} ${range.start.offset} ${message}`} className={`is-${severity}`}>
            <button type="button" onClick={() => onGo(diagnostic)}>
              <span className="diagnostic-place">
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
