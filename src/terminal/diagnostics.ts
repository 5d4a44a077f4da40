/** Diagnostics in the style of compilers: position, message, the line with carets, how to fix it. */

import { isObject } from '../json/json-object.ts';
import { escapeUnsafeLine } from '../report/escape-unsafe.ts';
import { measureWidth } from '../report/text/text-width.ts';
import { locateLine } from '../scenario/embedded-files.ts';
import type { TerminalPaint } from './paint.ts';

/** The shape of `scenario/diagnostic.ts`. Lines and columns count from 1; the end is exclusive. */
export type PrintableDiagnostic = {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly cure: string;
  readonly range: { readonly start: TextPosition; readonly end: TextPosition };
};

/** For diagnostics from a control plane. */
export function isPrintableDiagnostic(value: object): value is PrintableDiagnostic {
  const { code, severity, message, cure, range }: Partial<Record<keyof PrintableDiagnostic, unknown>> = value;
  const hasTexts = [code, message, cure].every((label) => typeof label === 'string');
  return hasTexts && (severity === 'error' || severity === 'warning') && isRange(range);
}

function isRange(value: unknown): value is PrintableDiagnostic['range'] {
  if (!isObject(value) || !('start' in value) || !('end' in value)) return false;
  return isTextPosition(value.start) && isTextPosition(value.end);
}

function isTextPosition(value: unknown): value is TextPosition {
  if (!isObject(value) || !('line' in value) || !('column' in value)) return false;
  return Number.isInteger(value.line) && Number.isInteger(value.column);
}

type TextPosition = { readonly line: number; readonly column: number };

export type DiagnosticSource = { readonly file: string; readonly text: string };

/** Long lines are cut to this many UTF-16 units on each side of the marked part. */
const contextLength = 60;
const maxMarked = 80;

/** Separated by empty lines, and ended by a line break. Empty without diagnostics. */
export function renderDiagnostics(
  diagnostics: readonly PrintableDiagnostic[],
  source: DiagnosticSource,
  paint: TerminalPaint,
): string {
  // Positions do not count a byte order mark.
  const lines = source.text.replace(/^\uFEFF/, '').split(/\r\n|\n/);
  return diagnostics.map((diagnostic) => `${renderDiagnostic(diagnostic, source, lines, paint)}\n`).join('\n');
}

function renderDiagnostic(
  { code, severity, message, cure, range }: PrintableDiagnostic,
  source: DiagnosticSource,
  lines: readonly string[],
  paint: TerminalPaint,
): string {
  const { line, column } = range.start;
  const sourceLine = locateLine(source.file, source.text, line);
  const label = severity === 'error' ? paint.failed('error') : paint.broken('warning');
  const location = paint.strong(`${escapeUnsafeLine(sourceLine.file)}:${sourceLine.line}:${column}:`);
  return [
    `${location} ${label} ${code}: ${escapeUnsafeLine(message)}`,
    ...excerpt(
      lines[line - 1] ?? '',
      { ...range, number: sourceLine.line },
      severity === 'error' ? paint.failed : paint.broken,
      paint,
    ),
    `      ${paint.faint('fix:')} ${escapeUnsafeLine(cure)}`,
  ].join('\n');
}

function excerpt(
  text: string,
  { start, end, number: lineNumber }: PrintableDiagnostic['range'] & { readonly number: number },
  style: TerminalPaint['failed'],
  paint: TerminalPaint,
): string[] {
  const startIndex = Math.min(start.column - 1, text.length);
  const endIndex = end.line === start.line ? Math.max(startIndex, Math.min(end.column - 1, text.length)) : text.length;
  const before = escapeUnsafeLine(
    startIndex > contextLength ? `…${text.slice(startIndex - contextLength, startIndex)}` : text.slice(0, startIndex),
  );
  const marked = escapeUnsafeLine(text.slice(startIndex, Math.min(endIndex, startIndex + maxMarked)));
  const remaining = text.slice(Math.min(endIndex, startIndex + maxMarked));
  const following = escapeUnsafeLine(
    remaining.length > contextLength ? `${remaining.slice(0, contextLength)}…` : remaining,
  );
  const number = String(lineNumber).padStart(5);
  const carets = '^'.repeat(Math.max(1, measureWidth(marked)));
  return [
    `${paint.faint(`${number} |`)} ${before}${marked}${following}`,
    `${' '.repeat(number.length)} ${paint.faint('|')} ${' '.repeat(measureWidth(before))}${style(carets)}`,
  ];
}
