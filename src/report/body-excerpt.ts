/** The part of a response body that a check read: its value, marked, with its neighbours. */
import { type Json, Numeral } from '../check/json/json.ts';
import { parsePointer } from '../check/json/json-pointer.ts';
import { readJson } from '../check/json/read-json.ts';
import { formatSize } from './measures.ts';
import type { ReportBody } from './report.ts';

/** `marked`: the line of the value that the check judged. */
export type ExcerptLine = { readonly text: string; readonly marked: boolean };

const maxValueLength = 80;
const maxRawLines = 10;
const maxRawLength = 600;
const maxRawLineLength = 200;
/** Larger bodies are not formatted, because that would take too long; their beginning is displayed. */
const maxParsedLength = 1_000_000;

/**
 * Lines of a JSON body around `pointer` (RFC 6901); from the top when it is null. Of a body that is not complete JSON
 * (truncated, or another format) the beginning.
 */
export function buildBodyExcerpt(body: string, pointer: string | null): ExcerptLine[] {
  const value = body.length > maxParsedLength ? undefined : parseBodyText(body);
  if (value === undefined) return excerptBeginning(body);
  const lines: ExcerptLine[] = [];
  layOut(value, pointer === null ? undefined : parsePointer(pointer), '', { before: '', after: '' }, lines);
  return lines;
}

/**
 * The excerpt for a failing check. Of a large body only the beginning is stored: where it ends before the value, the value that the
 * check read stands instead, with its pointer.
 */
export function buildCheckExcerpt(body: ReportBody, pointer: string, actual: string | null): ExcerptLine[] {
  const lines = body.text ? buildBodyExcerpt(body.text, pointer) : [];
  if (lines.some(({ marked }) => marked) || actual === null) return lines;
  if (!body.truncated && (body.text?.length ?? 0) <= maxParsedLength) return lines;
  return [
    { text: `${pointer}  ${actual}`, marked: true },
    { text: `(the body has ${formatSize(body.size_bytes)}; this value is beyond what is stored)`, marked: false },
  ];
}

function parseBodyText(body: string): Json | undefined {
  try {
    return readJson(body);
  } catch {
    return undefined;
  }
}

function excerptBeginning(body: string): ExcerptLine[] {
  const trimmed = body.trimEnd();
  const excerpt = trimmed.slice(0, maxRawLength).split('\n').slice(0, maxRawLines);
  const lines = excerpt.map((text) => ({ text: truncateText(text, maxRawLineLength), marked: false }));
  return excerpt.join('\n').length < trimmed.length ? [...lines, { text: '…', marked: false }] : lines;
}

/** `text`, or its first `maxLength` UTF-16 units and `…`. */
export function truncateText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`;
}

type LineEdges = { readonly before: string; readonly after: string };

/** `path` leads from `value` to the marked value; undefined when nothing below is marked. */
function layOut(
  value: Json,
  path: readonly string[] | undefined,
  indent: string,
  edges: LineEdges,
  lines: ExcerptLine[],
): void {
  const entries = getEntries(value);
  const marked = path?.length === 0;
  if (marked || entries === undefined || entries.length === 0 || indent.length > 40) {
    lines.push({ text: `${indent}${edges.before}${formatBrief(value)}${edges.after}`, marked });
    return;
  }
  const list = Array.isArray(value);
  const markedIndex = path === undefined ? -1 : entries.findIndex(([key]) => key === path[0]);
  const [start, end] = markedIndex < 0 ? [0, 8] : [markedIndex - 1, markedIndex + 2];
  lines.push({ text: `${indent}${edges.before}${list ? '[' : '{'}`, marked: false });
  const inner = `${indent}  `;
  if (start > 0) lines.push({ text: `${inner}… ${start} before`, marked: false });
  for (const [index, [key, item]] of entries.entries()) {
    if (index < start || index >= end) continue;
    const itemEdges = { before: list ? '' : `${JSON.stringify(key)}: `, after: index < entries.length - 1 ? ',' : '' };
    if (index === markedIndex) layOut(item, path?.slice(1), inner, itemEdges, lines);
    else lines.push({ text: `${inner}${itemEdges.before}${formatBrief(item)}${itemEdges.after}`, marked: false });
  }
  if (end < entries.length) lines.push({ text: `${inner}… ${entries.length - end} more`, marked: false });
  lines.push({ text: `${indent}${list ? ']' : '}'}${edges.after}`, marked: false });
}

function getEntries(value: Json): [string, Json][] | undefined {
  if (typeof value !== 'object' || value === null || value instanceof Numeral) return undefined;
  return Object.entries(value);
}

/** The value on one line, or its size where it is too long for that. */
function formatBrief(value: Json): string {
  if (value instanceof Numeral) return value.text;
  if (typeof value === 'string') {
    const text = JSON.stringify(value);
    return text.length <= maxValueLength
      ? text
      : `${JSON.stringify(value.slice(0, maxValueLength))}… ${value.length} characters`;
  }
  const entries = getEntries(value);
  if (entries === undefined) return String(value);
  const [open, close, noun] = Array.isArray(value) ? ['[', ']', 'items'] : ['{', '}', 'fields'];
  if (entries.length === 0) return `${open}${close}`;
  return `${open}… ${entries.length} ${entries.length === 1 ? noun.slice(0, -1) : noun}${close}`;
}
