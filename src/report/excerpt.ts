/** The part of a response body that a check looked at: its value, marked, with its neighbours. */
import { Numeral } from '../check/numeral.ts';
import type { Json } from '../check/observed.ts';
import { readJson } from '../check/read-json.ts';

/** One line to show; `marked` on the line that the check judged. */
export type ExcerptLine = { readonly text: string; readonly marked: boolean };

const valueLength = 80;
const rawLines = 10;
const rawLength = 600;
const rawLineLength = 200;
/** Larger bodies are shown from their beginning: laying them out would cost more than it tells. */
const parsedLength = 1_000_000;

/**
 * Lines of a JSON body around `pointer` (RFC 6901); from the top when it is null. What is no whole JSON (shortened, or
 * another format) is shown from its beginning.
 */
export function bodyExcerpt(body: string, pointer: string | null): ExcerptLine[] {
  const value = body.length > parsedLength ? undefined : parsed(body);
  if (value === undefined) return beginningOf(body);
  const lines: ExcerptLine[] = [];
  lay(value, pointer === null ? undefined : segmentsOf(pointer), '', { before: '', behind: '' }, lines);
  return lines;
}

function parsed(body: string): Json | undefined {
  try {
    return readJson(body);
  } catch {
    return undefined;
  }
}

function beginningOf(body: string): ExcerptLine[] {
  const whole = body.trimEnd();
  const cut = whole.slice(0, rawLength).split('\n').slice(0, rawLines);
  const lines = cut.map((text) => ({ text: shortened(text, rawLineLength), marked: false }));
  return cut.join('\n').length < whole.length ? [...lines, { text: '…', marked: false }] : lines;
}

/** `text`, or its first `most` UTF-16 units and `…`. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}

function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

type Around = { readonly before: string; readonly behind: string };

/** Lays `value` out; `path` leads from it to the marked value, undefined when nothing is marked below it. */
function lay(
  value: Json,
  path: readonly string[] | undefined,
  indent: string,
  around: Around,
  out: ExcerptLine[],
): void {
  const entries = entriesOf(value);
  const marked = path?.length === 0;
  if (marked || entries === undefined || entries.length === 0 || indent.length > 40) {
    out.push({ text: `${indent}${around.before}${brief(value)}${around.behind}`, marked });
    return;
  }
  const list = Array.isArray(value);
  const at = path === undefined ? -1 : entries.findIndex(([key]) => key === path[0]);
  const [from, to] = at < 0 ? [0, 8] : [at - 1, at + 2];
  out.push({ text: `${indent}${around.before}${list ? '[' : '{'}`, marked: false });
  const inner = `${indent}  `;
  if (from > 0) out.push({ text: `${inner}… ${from} before`, marked: false });
  for (const [index, [key, item]] of entries.entries()) {
    if (index < from || index >= to) continue;
    const edges = { before: list ? '' : `${JSON.stringify(key)}: `, behind: index < entries.length - 1 ? ',' : '' };
    if (index === at) lay(item, path?.slice(1), inner, edges, out);
    else out.push({ text: `${inner}${edges.before}${brief(item)}${edges.behind}`, marked: false });
  }
  if (to < entries.length) out.push({ text: `${inner}… ${entries.length - to} more`, marked: false });
  out.push({ text: `${indent}${list ? ']' : '}'}${around.behind}`, marked: false });
}

function entriesOf(value: Json): [string, Json][] | undefined {
  if (typeof value !== 'object' || value === null || value instanceof Numeral) return undefined;
  return Object.entries(value);
}

/** The value on one line, its size where it is too long for that. */
function brief(value: Json): string {
  if (value instanceof Numeral) return value.text;
  if (typeof value === 'string') {
    const text = JSON.stringify(value);
    return text.length <= valueLength
      ? text
      : `${JSON.stringify(value.slice(0, valueLength))}… ${value.length} characters`;
  }
  const entries = entriesOf(value);
  if (entries === undefined) return String(value);
  const [open, close, noun] = Array.isArray(value) ? ['[', ']', 'items'] : ['{', '}', 'fields'];
  if (entries.length === 0) return `${open}${close}`;
  return `${open}… ${entries.length} ${entries.length === 1 ? noun.slice(0, -1) : noun}${close}`;
}
