/** Diagnostics of a text as compilers print them: place, words, the line with carets, the cure. */
import { printableLine } from '../report/printable.ts';
import { widthOf } from '../report/width.ts';
import type { Paint } from './paint.ts';

/** What is told of a text; the shape of `scenario/diagnostic.ts`. Lines and columns count from 1; the end is excluded. */
export type ShownDiagnostic = {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly cure: string;
  readonly range: { readonly start: Spot; readonly end: Spot };
};

/** True for what a control plane told of a text. */
export function isShownDiagnostic(value: object): value is ShownDiagnostic {
  const { code, severity, message, cure, range }: Partial<Record<keyof ShownDiagnostic, unknown>> = value;
  const words = [code, message, cure].every((word) => typeof word === 'string');
  return words && (severity === 'error' || severity === 'warning') && isRange(range);
}

function isRange(value: unknown): value is ShownDiagnostic['range'] {
  if (typeof value !== 'object' || value === null || !('start' in value) || !('end' in value)) return false;
  return isSpot(value.start) && isSpot(value.end);
}

function isSpot(value: unknown): value is Spot {
  if (typeof value !== 'object' || value === null || !('line' in value) || !('column' in value)) return false;
  return Number.isInteger(value.line) && Number.isInteger(value.column);
}

type Spot = { readonly line: number; readonly column: number };

/** A text and how it is called. */
export type ShownText = { readonly file: string; readonly text: string };

/** Of a long line this much is shown on each side of the marked part, in UTF-16 units. */
const around = 60;
const markedMost = 80;

/** All of them, in their order, with an empty line between; ends with a line break. Empty for none. */
export function diagnosticsText(diagnostics: readonly ShownDiagnostic[], source: ShownText, paint: Paint): string {
  // A byte order mark is no part of the first line that positions count.
  const lines = source.text.replace(/^\uFEFF/, '').split(/\r\n|\n/);
  return diagnostics.map((each) => `${diagnosticText(each, source.file, lines, paint)}\n`).join('\n');
}

function diagnosticText(
  { code, severity, message, cure, range }: ShownDiagnostic,
  file: string,
  lines: readonly string[],
  paint: Paint,
): string {
  const { line, column } = range.start;
  const word = severity === 'error' ? paint.failed('error') : paint.broken('warning');
  const place = paint.strong(`${printableLine(file)}:${line}:${column}:`);
  return [
    `${place} ${word} ${code}: ${printableLine(message)}`,
    ...excerpt(lines[line - 1] ?? '', range, severity === 'error' ? paint.failed : paint.broken, paint),
    `      ${paint.faint('cure:')} ${printableLine(cure)}`,
  ].join('\n');
}

function excerpt(
  text: string,
  { start, end }: ShownDiagnostic['range'],
  style: Paint['failed'],
  paint: Paint,
): string[] {
  const from = Math.min(start.column - 1, text.length);
  const to = end.line === start.line ? Math.max(from, Math.min(end.column - 1, text.length)) : text.length;
  const before = printableLine(from > around ? `…${text.slice(from - around, from)}` : text.slice(0, from));
  const marked = printableLine(text.slice(from, Math.min(to, from + markedMost)));
  const rest = text.slice(Math.min(to, from + markedMost));
  const behind = printableLine(rest.length > around ? `${rest.slice(0, around)}…` : rest);
  const number = String(start.line).padStart(5);
  const carets = '^'.repeat(Math.max(1, widthOf(marked)));
  return [
    `${paint.faint(`${number} |`)} ${before}${marked}${behind}`,
    `${' '.repeat(number.length)} ${paint.faint('|')} ${' '.repeat(widthOf(before))}${style(carets)}`,
  ];
}
