/** What a validation found, for people and for programs. */
import type { VpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { diagnosticsText } from '../../terminal/diagnostics.ts';
import type { Paint } from '../../terminal/paint.ts';
import type { ParsedFile } from '../read-scenarios.ts';
import type { Validation } from './validation.ts';

/** `2 errors`, `1 error`; empty for none. */
export function counted(count: number, noun: string): string {
  if (count === 0) return '';
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function pathOf(error: VpError): string {
  return String(error.values.path ?? error.place?.file ?? '');
}

/** An error about a whole file in the form of a diagnostic. */
export function unreadText(error: VpError, paint: Paint): string {
  const place = paint.strong(`${pathOf(error)}:`);
  const words = `${paint.failed('error')} ${error.code}: ${error.message}`;
  return `${place} ${words}\n      ${paint.faint('cure:')} ${error.cure}\n`;
}

/** The diagnostics of a file with the lines they are about. A byte order mark is no part of the first line. */
export function fileText({ file, text, diagnostics }: ParsedFile, paint: Paint): string {
  return diagnosticsText(diagnostics, { file, text: text.replace(/^\uFEFF/, '') }, paint);
}

function summary({ files, unread, errors, warnings }: Validation): string {
  const total = files.length + unread.length;
  const valid = files.filter(({ scenario }) => scenario !== undefined).length;
  const counts = [counted(errors, 'error'), counted(warnings, 'warning')].filter((text) => text !== '').join(', ');
  const told = counts === '' ? '' : ` (${counts})`;
  if (valid === total) return `${counted(total, 'scenario') || 'nothing'}: valid${told}\n`;
  return `${counted(total, 'scenario')}: ${valid} valid, ${total - valid} not${told}\n`;
}

/** Everything found, an empty line between files, and a summary. */
export function validationText(validation: Validation, paint: Paint): string {
  const files = validation.files.filter(({ diagnostics }) => diagnostics.length > 0);
  const told = [
    ...validation.unread.map((error) => unreadText(error, paint)),
    ...files.map((file) => fileText(file, paint)),
  ];
  return [...told, summary(validation)].join('\n');
}

/** A diagnostic for programs; lines and columns count from 1, the end is not included. */
export function diagnosticJson({ code, severity, message, cure, range }: Diagnostic) {
  const { start, end } = range;
  const place = { line: start.line, column: start.column, end_line: end.line, end_column: end.column };
  return { code, severity, message, cure, ...place };
}

/** An error about a whole file, in the same shape. */
export function unreadJson({ code, message, cure }: VpError) {
  const place = { line: null, column: null, end_line: null, end_column: null };
  return { code, severity: 'error', message, cure, ...place };
}

/** One document. */
export function validationJson({ files, unread, errors, warnings }: Validation) {
  const read = files.map(({ file, scenario, diagnostics }) => ({
    file,
    valid: scenario !== undefined,
    id: scenario?.id ?? null,
    diagnostics: diagnostics.map(diagnosticJson),
  }));
  const others = unread.map((error) => ({
    file: pathOf(error),
    valid: false,
    id: null,
    diagnostics: [unreadJson(error)],
  }));
  return { valid: errors === 0, errors, warnings, files: [...others, ...read] };
}
