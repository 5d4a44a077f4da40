import { Type } from '@sinclair/typebox';
import { linesOf } from '../answer/words.ts';
import { OffsetInput, RunIdInput } from '../input.ts';
import { ownRun, runFacts } from '../runs/own-run.ts';
import { reportFacts } from '../runs/report-facts.ts';
import { PartInput, reportOf, reportPart } from '../runs/report-part.ts';
import { reportText } from '../runs/report-text.ts';
import { readOnly, tool } from '../tool.ts';

/** The report of an ended run. */
export const getRunReport = tool({
  name: 'product__get_run_report',
  description:
    'The report of an ended run: result, failed checks with expected and actual, request, response, log, queries, cures. part: one part in full. Log lines: product__get_run_logs.',
  input: Type.Object({ run_id: RunIdInput, part: PartInput, offset: OffsetInput }),
  annotations: readOnly,
  async handle({ run_id, part, offset = 0 }, ports, context) {
    const run = await ownRun(ports, context, run_id);
    if (part !== undefined) return reportPart(run, part, offset);
    const report = reportFacts(reportOf(run));
    const more = 'More: `part` gives checks, request, response, queries, proof or scenario in full.';
    return { text: linesOf(reportText(report), more), data: { ...runFacts(run), report } };
  },
});
