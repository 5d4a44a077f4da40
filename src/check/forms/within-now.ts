/** The test `within <time> of now`: a date near the moment at which the response had arrived, by the executor's clock. */
import type { ReportProblem } from '../check-kind.ts';
import { abbreviate } from '../json/describe-value.ts';
import type { HasForm } from './has-form.ts';

/** `text` is the span as written, such as `5m`. */
export type WithinTest = { readonly kind: 'within'; readonly spanMs: number; readonly text: string };

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const spanPattern = /^(\d{1,9})\s*(ms|s|m|h|d)$/;

/** Milliseconds of `500ms`, `30s`, `5m`, `2h`, `1d`; undefined for another text. */
export function parseSpanMs(text: string): number | undefined {
  const [, count, unit = ''] = spanPattern.exec(text) ?? [];
  const factor = unitMs[unit];
  return count === undefined || factor === undefined ? undefined : Number(count) * factor;
}

/** The operand of `within`; `start` begins the example of a report. */
export function parseWithinOperand(
  { keyword, operand }: HasForm,
  start: string,
  report: ReportProblem,
): WithinTest | 'refused' {
  const text = /^(.*?)\s+of\s+now$/.exec(operand.text)?.[1] ?? '';
  const spanMs = parseSpanMs(text);
  if (spanMs !== undefined) return { kind: 'within', spanMs, text };
  if (operand.text === '') {
    const values = { keyword: keyword.text, example: `${start} within 1m of now` };
    report('SCENARIO_CHECK_OPERAND_MISSING', keyword.start, keyword.end, values);
  } else {
    report('SCENARIO_CHECK_SPAN', operand.start, operand.end, { written: abbreviate(operand.text) });
  }
  return 'refused';
}

export function formatNowOffset({ text }: WithinTest): string {
  return `within ${text} of now`;
}

const isoDate = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
const httpDate = /^(?:mon|tue|wed|thu|fri|sat|sun)\w*,? .* GMT$/i;
/** Larger numbers are milliseconds: as seconds they would be later than the year 5000. */
const maxSeconds = 100_000_000_000;

/** Milliseconds since 1970 of an ISO 8601 or HTTP date, or of a number of seconds or milliseconds; a date without a zone is UTC. */
function parseDateMs(text: string): number | undefined {
  if (/^\d{9,14}(?:\.\d{1,6})?$/.test(text)) {
    const number = Number(text);
    return number < maxSeconds ? number * 1000 : number;
  }
  const match = isoDate.exec(text);
  if (match === null) return httpDate.test(text) ? toMs(text) : undefined;
  const [, zone] = match;
  const dateText = text
    .slice(0, text.length - (zone?.length ?? 0))
    .trim()
    .replace(' ', 'T')
    .replace(',', '.');
  if (!dateText.includes('T')) return toMs(dateText);
  const zoneText =
    zone === undefined ? 'Z' : zone.replace(/^([+-]\d{2})$/, '$1:00').replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  return toMs(dateText + zoneText.toUpperCase());
}

function toMs(text: string): number | undefined {
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

/** False where the text is not a date, or `nowMs` is not known. */
export function isWithinSpan(text: string, { spanMs }: WithinTest, nowMs: number | undefined): boolean {
  const epochMs = parseDateMs(text);
  return epochMs !== undefined && nowMs !== undefined && Math.abs(epochMs - nowMs) <= spanMs;
}

/** Such as `3 s before now`; why it is not near, for people. */
export function explainDistance(text: string, nowMs: number | undefined): string {
  const epochMs = parseDateMs(text);
  if (epochMs === undefined) return 'not a date: ISO 8601, an HTTP date, or seconds or milliseconds since 1970';
  if (nowMs === undefined) return 'when the response arrived is not known';
  const seconds = Math.abs(epochMs - nowMs) / 1000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s ${epochMs < nowMs ? 'before' : 'after'} now`;
}
