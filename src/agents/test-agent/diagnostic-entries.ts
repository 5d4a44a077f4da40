/** Formats the diagnostics of a scenario text for agents. */

import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { formatQuantity, takeWithinLength, truncate } from '../tools/result-text.ts';

/** Limits of one result; the first errors often cause the others. */
const limits = { count: 40, all: 9000 } as const;

/** Diagnostics with line, column and the source line they refer to. */
export function toDiagnosticEntries(text: string, diagnostics: readonly Diagnostic[]) {
  const lines = text.split(/\r\n|\n/);
  const entries = diagnostics.map(({ code, severity, message, cure, range: { start } }) => {
    const { line, column } = start;
    const source = truncate(lines[line - 1] ?? '', 200);
    return { severity, code, line, column, message: truncate(message, 500), cure: truncate(cure, 500), source };
  });
  return takeWithinLength(entries.slice(0, limits.count), limits.all);
}

export function formatDiagnostics(entries: ReturnType<typeof toDiagnosticEntries>): string {
  const texts = entries.map(({ severity, code, line, column, message, cure, source }) => {
    return `${severity} ${code}, line ${line}, column ${column}: ${message}\n  ${line} | ${source}\n  fix: ${cure}`;
  });
  return texts.join('\n');
}

/** `2 errors, 1 warning`. */
export function formatTally(diagnostics: readonly Pick<Diagnostic, 'severity'>[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  return `${formatQuantity(errors, 'error')}, ${formatQuantity(diagnostics.length - errors, 'warning')}`;
}
