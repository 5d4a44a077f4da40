/** What is wrong with a scenario's text, as agents read it. */

import type { Diagnostic } from '../scenario/diagnostic.ts';
import { counted, cut, fitting } from './answer/bounds.ts';

/** Told at once; the first errors are often the cause of the others. */
const most = { count: 40, all: 9000 } as const;

/** Diagnostics with their places, and the lines they are about. */
export function diagnosticFacts(text: string, diagnostics: readonly Diagnostic[]) {
  const lines = text.split(/\r\n|\n/);
  const all = diagnostics.map(({ code, severity, message, cure, range: { start } }) => {
    const { line, column } = start;
    const source = cut(lines[line - 1] ?? '', 200);
    return { severity, code, line, column, message: cut(message, 500), cure: cut(cure, 500), source };
  });
  return fitting(all.slice(0, most.count), most.all);
}

/** The same as text, a few lines each. */
export function diagnosticsText(facts: ReturnType<typeof diagnosticFacts>): string {
  const told = facts.map(({ severity, code, line, column, message, cure, source }) => {
    return `${severity} ${code}, line ${line}, column ${column}: ${message}\n  ${line} | ${source}\n  cure: ${cure}`;
  });
  return told.join('\n');
}

/** `2 errors, 1 warning`. */
export function tallyText(diagnostics: readonly Pick<Diagnostic, 'severity'>[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  return `${counted(errors, 'error')}, ${counted(diagnostics.length - errors, 'warning')}`;
}
