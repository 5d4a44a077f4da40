/** Returns one part of a report in full, piece by piece. */
import { Type } from '@sinclair/typebox';
import type { RunDocument } from '../../contract/api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { Report } from '../../report/report.ts';
import { joinLines, sliceText } from '../tools/result-text.ts';
import type { ToolOutput } from '../tools/tool.ts';

/** Parts that may exceed the size of one result; the log has its own tool. */
const reportParts = ['checks', 'request', 'response', 'queries', 'proof', 'scenario'] as const;
type ReportPart = (typeof reportParts)[number];

export const ReportPartInput = Type.Optional(Type.Union(reportParts.map((part) => Type.Literal(part))));

/** A piece of the part `part`. Throws REPORT_ABSENT. */
export function readReportPart(run: RunDocument, part: ReportPart, offset: number): ToolOutput {
  const { text, nextOffset, ...position } = sliceText(formatPart(run, part), offset);
  const more = nextOffset !== null && `There is more: call again with offset ${nextOffset}.`;
  const data = {
    run_id: run.run_id,
    part,
    offset: position.offset,
    total: position.total,
    next_offset: nextOffset,
    content: text,
  };
  return { text: joinLines(text === '' ? `There is no ${part}.` : text, more), data };
}

function formatPart(run: RunDocument, part: ReportPart): string {
  if (part === 'scenario') return run.scenario_text ?? '';
  const report = getReport(run);
  const { request, response } = report.exchange;
  switch (part) {
    case 'request':
      return request
        ? joinLines(`${request.method} ${request.url}`, ...formatHeaders(request.headers)) + formatBody(request.body)
        : '';
    case 'response':
      return response
        ? joinLines(String(response.status), ...formatHeaders(response.headers)) + formatBody(response.body.text)
        : '';
    default:
      return report[part] === null ? '' : JSON.stringify(report[part], null, 1);
  }
}

/** The report of a run, or its late report. Throws REPORT_ABSENT with the reason. */
export function getReport(run: RunDocument): Report {
  const report = run.report ?? run.late_report;
  if (report) return report;
  const reason = run.report_expired ? 'it has expired' : `the run is ${run.state}`;
  throw vpError('REPORT_ABSENT', { run: run.run_id, reason });
}

function formatHeaders(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([name, value]) => `${name}: ${value}`);
}

function formatBody(text: string | null): string {
  return text === null || text === '' ? '' : `\n\n${text}`;
}
