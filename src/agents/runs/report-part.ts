/** One part of a report in full, piece by piece. */
import { Type } from '@sinclair/typebox';
import type { RunDocument } from '../../contract/api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { Report } from '../../report/report.ts';
import { pieceOf } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import type { ToolAnswer } from '../tool.ts';

/** Parts that may be longer than an answer; the log has a tool of its own. */
const parts = ['checks', 'request', 'response', 'queries', 'proof', 'scenario'] as const;
type Part = (typeof parts)[number];

/** The argument that names one. */
export const PartInput = Type.Optional(Type.Union(parts.map((part) => Type.Literal(part))));

/** A piece of the part `part`. Throws REPORT_ABSENT. */
export function reportPart(run: RunDocument, part: Part, offset: number): ToolAnswer {
  const { text, nextOffset, ...place } = pieceOf(partText(run, part), offset);
  const more = nextOffset !== null && `There is more: call again with offset ${nextOffset}.`;
  const data = {
    run_id: run.run_id,
    part,
    offset: place.offset,
    total: place.total,
    next_offset: nextOffset,
    content: text,
  };
  return { text: linesOf(text === '' ? `There is no ${part}.` : text, more), data };
}

function partText(run: RunDocument, part: Part): string {
  if (part === 'scenario') return run.scenario_text ?? '';
  const report = reportOf(run);
  const { request, response } = report.exchange;
  switch (part) {
    case 'request':
      return request
        ? linesOf(`${request.method} ${request.url}`, ...headerLines(request.headers)) + bodyOf(request.body)
        : '';
    case 'response':
      return response
        ? linesOf(String(response.status), ...headerLines(response.headers)) + bodyOf(response.body.text)
        : '';
    default:
      return report[part] === null ? '' : JSON.stringify(report[part], null, 1);
  }
}

/** The report of a run, or the one that came late. Throws REPORT_ABSENT with the reason. */
export function reportOf(run: RunDocument): Report {
  const report = run.report ?? run.late_report;
  if (report) return report;
  const reason = run.report_expired ? 'it has expired' : `the run is ${run.state}`;
  throw vpError('REPORT_ABSENT', { run: run.run_id, reason });
}

function headerLines(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([name, value]) => `${name}: ${value}`);
}

function bodyOf(text: string | null): string {
  return text === null || text === '' ? '' : `\n\n${text}`;
}
