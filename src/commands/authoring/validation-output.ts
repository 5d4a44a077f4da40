/** The result of a validation as text and as JSON. */
import type { VpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { formatNounCount } from '../../terminal/count.ts';
import { renderDiagnostics } from '../../terminal/diagnostics.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';
import type { ParsedFile } from '../scenarios/read-scenarios.ts';
import type { Validation } from './validation.ts';

function errorPath(error: VpError): string {
  return String(error.values.path ?? error.location?.file ?? '');
}

/** An error about a whole file, formatted like a diagnostic. */
export function formatUnreadableFile(error: VpError, paint: TerminalPaint): string {
  const location = paint.strong(`${errorPath(error)}:`);
  const message = `${paint.failed('error')} ${error.code}: ${error.message}`;
  return `${location} ${message}\n      ${paint.faint('fix:')} ${error.cure}\n`;
}

/** The diagnostics of a file with excerpts. A byte order mark is not part of the first line. */
export function formatFileDiagnostics({ file, text, diagnostics }: ParsedFile, paint: TerminalPaint): string {
  return renderDiagnostics(diagnostics, { file, text: text.replace(/^\uFEFF/, '') }, paint);
}

/** A folder without a scenario is not a scenario. */
function isOfFile({ code }: VpError): boolean {
  return code !== 'SCENARIO_FOLDER_EMPTY';
}

function formatSummary({ files, unreadable, errors, warnings }: Validation): string {
  const total = files.length + unreadable.filter(isOfFile).length;
  const valid = files.filter(({ scenario }) => scenario !== undefined).length;
  const counts = [formatNounCount(errors, 'error'), formatNounCount(warnings, 'warning')]
    .filter((text) => text !== '')
    .join(', ');
  const countsNote = counts === '' ? '' : ` (${counts})`;
  if (total === 0) return `no scenario to check${countsNote}\n`;
  if (valid === total) return `${formatNounCount(total, 'scenario')}: valid${countsNote}\n`;
  return `${formatNounCount(total, 'scenario')}: ${valid} valid, ${total - valid} not${countsNote}\n`;
}

/** All diagnostics, with an empty line between files, and a summary. */
export function formatValidation(validation: Validation, paint: TerminalPaint): string {
  const files = validation.files.filter(({ diagnostics }) => diagnostics.length > 0);
  const texts = [
    ...validation.unreadable.map((error) => formatUnreadableFile(error, paint)),
    ...files.map((file) => formatFileDiagnostics(file, paint)),
  ];
  return [...texts, formatSummary(validation)].join('\n');
}

/** Lines and columns count from 1, the end is exclusive. */
export function toDiagnosticJson({ code, severity, message, cure, range }: Diagnostic) {
  const { start, end } = range;
  const position = { line: start.line, column: start.column, end_line: end.line, end_column: end.column };
  return { code, severity, message, cure, ...position };
}

/** An error about a whole file, in the same shape. */
export function toUnreadableFileJson({ code, message, cure }: VpError) {
  const position = { line: null, column: null, end_line: null, end_column: null };
  return { code, severity: 'error', message, cure, ...position };
}

export function toValidationJson({ files, unreadable, errors, warnings }: Validation) {
  const fileEntries = files.map(({ file, scenario, diagnostics }) => ({
    file,
    valid: scenario !== undefined,
    id: scenario?.id ?? null,
    diagnostics: diagnostics.map(toDiagnosticJson),
  }));
  const unreadableEntries = unreadable.map((error) => ({
    file: errorPath(error),
    valid: false,
    id: null,
    diagnostics: [toUnreadableFileJson(error)],
  }));
  return { valid: errors === 0, errors, warnings, files: [...unreadableEntries, ...fileEntries] };
}
