import { Type } from '@sinclair/typebox';
import { isFinalState } from '../../run/state.ts';
import { ReportPartInput, readReportPart } from '../runs/report-part.ts';
import { toReportSummary } from '../runs/report-summary.ts';
import { formatReport } from '../runs/report-text.ts';
import { formatRunLine, toRunEntry } from '../runs/run-entry.ts';
import { waitForOwnRun } from '../runs/wait-for-run.ts';
import { OffsetInput, RunIdInput } from '../tools/input-schemas.ts';
import { joinLines } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

const defaultWaitS = 30;

export const getRunStatusTool = createTool({
  name: 'author__get_run_status',
  description:
    'Wait for a run (wait_s, default 30) and read its report: failed checks with expected, actual and line, response, log, queries, proof, fixes. part: one part in full.',
  input: Type.Object({
    run_id: RunIdInput,
    wait_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 120 })),
    part: ReportPartInput,
    offset: OffsetInput,
  }),
  annotations: readOnlyAnnotations,
  async handle({ run_id, wait_s = defaultWaitS, part, offset = 0 }, ports, context) {
    const run = await waitForOwnRun(ports, context, run_id, wait_s * 1000);
    if (!isFinalState(run.state)) {
      const next = `It has not ended: call author__get_run_status again, or author__cancel_run.`;
      return {
        text: joinLines(`${formatRunLine(run)} (${run.queue_position} before it)`, next),
        data: { ...toRunEntry(run), final: false },
      };
    }
    if (part !== undefined) return readReportPart(run, part, offset);
    const runEntry = { ...toRunEntry(run), final: true, report_expired: run.report_expired };
    const report = run.report ?? run.late_report;
    if (!report)
      return { text: joinLines(formatRunLine(run), explainMissingReport(run)), data: { ...runEntry, report: null } };
    const summary = toReportSummary(report);
    return {
      text: joinLines(formatReport(summary), formatNextStep(run.result)),
      data: { ...runEntry, report: summary },
    };
  },
});

function explainMissingReport({ report_expired, state }: { report_expired: boolean; state: string }): string {
  if (report_expired) return 'The report has expired: request the run again.';
  return state === 'cancelled'
    ? 'It was cancelled before it had a report.'
    : 'There is no report: request the run again.';
}

function formatNextStep(result: string | null): string {
  if (result === 'passed') return 'More: `part` returns checks, request, response, queries, proof or scenario in full.';
  return 'Next: fix the application or the scenario, then author__request_run again. More: `part` response, checks, …; author__get_run_logs.';
}
