/** What was sent and received, and when. Everything that came from a target is escaped. */
import { escapeUnsafeLine } from '../escape-unsafe.ts';
import { formatDuration, formatSize } from '../measures.ts';
import type { Report } from '../report.ts';
import type { TextStyles } from './text-styles.ts';
import { wrapParts } from './wrap-text.ts';

export function formatExchange(report: Report, paint: TextStyles): string[] {
  const { exchange, timings, correlation_id, log, failure, attempts = 1 } = report;
  const { request, response } = exchange;
  const lines = [''];
  const repeated = attempts > 1 ? `, ${attempts} times` : '';
  if (!request) lines.push(`  sent      ${isExchangeUnknown(failure) ? 'not known' : describeUnsent(report)}`);
  if (request) lines.push(`  sent      ${escapeUnsafeLine(`${request.method} ${request.url}`)}${repeated}`);
  if (request) lines.push(`  received  ${response ? formatResponse(response) : 'no response'}`);
  lines.push(`  timings   ${formatTimings(timings, paint)}`);
  const use = request && !log ? ` ${paint.faint('(find the log line of the target by it)')}` : '';
  lines.push(`  id        ${escapeUnsafeLine(correlation_id)}${use}`);
  return lines;
}

function describeUnsent({ steps = [] }: Report): string {
  const wasStepSent = steps.some(({ exchange }) => exchange.request !== null);
  return wasStepSent ? 'nothing but the steps below' : 'nothing';
}

/** The executor vanished during the run and took with it what it sent. */
export function isExchangeUnknown(failure: Report['failure']): boolean {
  return failure?.kind === 'executor_lost';
}

function formatResponse({ status, headers, body }: NonNullable<Report['exchange']['response']>): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const facts = [String(status), formatSize(body.size_bytes), ...(type === undefined ? [] : [type])];
  return escapeUnsafeLine(facts.join(' · '));
}

function formatTimings(timings: Report['timings'], { proseWidth }: TextStyles): string {
  const points: [string, number | null][] = [
    ['queued', timings.queued_ms],
    ['before it', timings.before_ms ?? null],
    ['connect', timings.connect_ms],
    ['first byte', timings.first_byte_ms],
    ['body', timings.body_ms],
    ['total', timings.total_ms],
    ['log and database', timings.evidence_ms],
  ];
  const texts = points.flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${formatDuration(ms)}`]));
  return wrapParts(texts, ',', proseWidth, 12);
}
