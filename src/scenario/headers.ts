/** The header lines of a trigger. */
import type { LinePiece } from './blocks.ts';
import { trimPiece } from './blocks.ts';
import { refusedHeaders, singleHeaders } from './refused-headers.ts';
import type { TriggerHeader } from './scenario.ts';
import { toRange } from './source.ts';
import { readTemplate, type TemplateContext } from './template.ts';

/** A token (RFC 9110, 5.6.2). */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Not allowed in field values (RFC 9110, 5.5); control characters are refused earlier, with the text. */
const unsendable = /[^\0-\u00ff]/u;

/** True for a line of the form `Name: value`. */
export function looksLikeHeader(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9-]*:(\s|$)/.test(text);
}

function nameIsAllowed({ text, start }: LinePiece, { report }: TemplateContext): boolean {
  const end = start + text.length;
  if (!token.test(text)) {
    report('SCENARIO_HEADER_NAME_INVALID', start, end, { name: text });
    return false;
  }
  const cure = refusedHeaders.get(text.toLowerCase());
  if (cure !== undefined) report('SCENARIO_HEADER_REFUSED', start, end, { name: text, cure });
  return cure === undefined;
}

function valueIsSendable({ text, start }: LinePiece, { report }: TemplateContext): boolean {
  const match = unsendable.exec(text);
  if (match === null) return true;
  const [sign] = match;
  const point = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  report('SCENARIO_HEADER_VALUE_INVALID', start + match.index, start + match.index + sign.length, {
    point: `U+${point}`,
  });
  return false;
}

function readHeader(line: LinePiece, context: TemplateContext): TriggerHeader | undefined {
  const colon = line.text.indexOf(':');
  const end = line.start + line.text.length;
  if (colon <= 0) {
    context.report('SCENARIO_HEADER_LINE_INVALID', line.start, end, { line: line.text.slice(0, 100) });
    return undefined;
  }
  const name = line.text.slice(0, colon);
  const value = trimPiece(line.text.slice(colon + 1), line.start + colon + 1);
  const template = readTemplate([value], context);
  const allowed = nameIsAllowed({ text: name, start: line.start }, context);
  if (!valueIsSendable(value, context) || !allowed) return undefined;
  return { name, value: template, range: toRange(context.source, line.start, end) };
}

function reportDoubled(headers: readonly TriggerHeader[], { report }: TemplateContext): void {
  const seenNames = new Set<string>();
  for (const { name, range } of headers) {
    const key = name.toLowerCase();
    if (singleHeaders.has(key) && seenNames.has(key)) {
      report('SCENARIO_HEADER_DOUBLED', range.start.offset, range.end.offset, { name });
    }
    seenNames.add(key);
  }
}

/** Parses the lines; those that cannot be sent are reported and omitted. */
export function readHeaders(lines: readonly LinePiece[], context: TemplateContext): readonly TriggerHeader[] {
  const headers = lines.map((line) => readHeader(line, context)).filter((header) => header !== undefined);
  reportDoubled(headers, context);
  return headers;
}

function hasCorrelationId({ name, value }: TriggerHeader): boolean {
  const hasId = value.parts.some((part) => 'placeholder' in part && part.placeholder === 'correlation_id');
  return hasId && name.toLowerCase() === 'x-request-id';
}

/** Warns where the target could not log the run's id (spec, Target requirement). */
export function warnAboutMissingRequestId(
  headers: readonly TriggerHeader[],
  piece: LinePiece,
  { report }: TemplateContext,
): void {
  if (headers.some(hasCorrelationId)) return;
  report('SCENARIO_REQUEST_ID_MISSING', piece.start, piece.start + piece.text.length, {});
}
