import { Type } from '@sinclair/typebox';
import { isFinal } from '../../run/state.ts';
import { linesOf } from '../answer/words.ts';
import { OffsetInput, RunIdInput } from '../input.ts';
import { runFacts, runLine } from '../runs/own-run.ts';
import { reportFacts } from '../runs/report-facts.ts';
import { PartInput, reportPart } from '../runs/report-part.ts';
import { reportText } from '../runs/report-text.ts';
import { waitForOwnRun } from '../runs/wait.ts';
import { readOnly, tool } from '../tool.ts';

const usualWaitS = 30;

/** Waits for a run, and reads what became of it. */
export const getRunStatus = tool({
  name: 'author__get_run_status',
  description:
    'Wait for a run (wait_s, 30 unless given) and read its result and report: failed checks with expected, actual and line, response, log, queries, proof, cures. part: one part in full.',
  input: Type.Object({
    run_id: RunIdInput,
    wait_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 120 })),
    part: PartInput,
    offset: OffsetInput,
  }),
  annotations: readOnly,
  async handle({ run_id, wait_s = usualWaitS, part, offset = 0 }, ports, context) {
    const run = await waitForOwnRun(ports, context, run_id, wait_s * 1000);
    if (!isFinal(run.state)) {
      const next = `It has not ended: call author__get_run_status again, or author__cancel_run.`;
      return {
        text: linesOf(`${runLine(run)} (${run.queue_position} before it)`, next),
        data: { ...runFacts(run), final: false },
      };
    }
    if (part !== undefined) return reportPart(run, part, offset);
    const facts = { ...runFacts(run), final: true, report_expired: run.report_expired };
    const report = run.report ?? run.late_report;
    if (!report) return { text: linesOf(runLine(run), whyNoReport(run)), data: { ...facts, report: null } };
    const told = reportFacts(report);
    return { text: linesOf(reportText(told), nextStep(run.result)), data: { ...facts, report: told } };
  },
});

function whyNoReport({ report_expired, state }: { report_expired: boolean; state: string }): string {
  if (report_expired) return 'The report has expired: request the run again.';
  return state === 'cancelled'
    ? 'It was cancelled before it had a report.'
    : 'There is no report: request the run again.';
}

function nextStep(result: string | null): string {
  if (result === 'passed') return 'More: `part` gives checks, request, response, queries, proof or scenario in full.';
  return 'Next: mend the application or the scenario, then author__request_run again. More: `part` response, checks, …; author__get_run_logs.';
}
