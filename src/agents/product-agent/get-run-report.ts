import { Type } from '@sinclair/typebox';
import { getReport, ReportPartInput, readReportPart } from '../runs/report-part.ts';
import { toReportSummary } from '../runs/report-summary.ts';
import { formatReport } from '../runs/report-text.ts';
import { getOwnRun, toRunEntry } from '../runs/run-entry.ts';
import { compareWithLastFailure } from '../runs/target-process.ts';
import { OffsetInput, RunIdInput } from '../tools/input-schemas.ts';
import { joinLines } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

export const getRunReportTool = createTool({
  name: 'product__get_run_report',
  description:
    'The report of a finished run: result, failed checks with expected and actual, request, response, log, queries, fixes. part: one part in full. Log lines: product__get_run_logs.',
  input: Type.Object({ run_id: RunIdInput, part: ReportPartInput, offset: OffsetInput }),
  annotations: readOnlyAnnotations,
  async handle({ run_id, part, offset = 0 }, ports, context) {
    const run = await getOwnRun(ports, context, run_id);
    if (part !== undefined) return readReportPart(run, part, offset);
    const report = toReportSummary(getReport(run));
    const more = 'More: `part` returns checks, request, response, queries, proof or scenario in full.';
    const comparison = run.state === 'failed' ? await compareWithLastFailure(ports, context, run) : undefined;
    const target = {
      process: run.target_process ?? null,
      version: run.target_version ?? null,
      failure_before: comparison?.previous?.run_id ?? null,
      same_process_as_failure_before: comparison?.sameProcess ?? null,
    };
    return {
      text: joinLines(formatReport(report), comparison?.text, more),
      data: { ...toRunEntry(run), target, report },
    };
  },
});
