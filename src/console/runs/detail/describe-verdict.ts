import type { RunDocument } from '../../../contract/api.ts';
import { countCases } from '../../../report/cases.ts';
import type { ReportStep } from '../../../report/report.ts';
import { formatCount } from '../../text/format.ts';

type JudgedRun = Pick<RunDocument, 'state' | 'failure_kind' | 'observed_status' | 'report'>;

/** Says in a plain sentence why a run failed; the message that the specification demands stands below it. */
export function describeVerdict(run: JudgedRun): string | undefined {
  const { cases, displayed_case: name } = run.report ?? {};
  const sentence = describeRequests(run);
  if (!cases || sentence === undefined) return sentence;
  return `${countCases(cases)}. The case “${name}”: ${sentence}`;
}

function describeRequests({
  state,
  failure_kind: kind,
  observed_status: status,
  report,
}: JudgedRun): string | undefined {
  if (state !== 'failed') return undefined;
  const failed = report?.checks.filter(({ outcome }) => outcome === 'failed') ?? [];
  const step = report?.steps?.find(({ outcome }) => outcome === 'failed' || outcome === 'not_judged');
  if (step) return describeFailedStep(step);
  switch (kind) {
    case 'status_mismatch': {
      const expected = failed.find(({ kind: checkKind }) => checkKind === 'status')?.expected;
      return `The target answered with status ${status ?? 'unknown'}${expected == null ? '' : `, but ${expected} is expected`}.`;
    }
    case 'body_mismatch':
      return `The response is not as expected: ${formatCount(failed.length, 'check')} of its content ${failed.length === 1 ? 'is' : 'are'} false.`;
    case 'evidence_mismatch':
      return 'The response is as expected, but the log or the database is not.';
    case null:
      return undefined;
    default:
      return 'There is no response to judge, so nothing is known about the scenario’s checks.';
  }
}

/** The steps after it and the request of TRIGGER were not sent. */
function describeFailedStep({ name, outcome, exchange }: ReportStep): string {
  const reason = outcome === 'failed' ? 'failed' : 'could not be judged';
  const status = exchange.response ? ` with status ${exchange.response.status}` : '';
  return `The step “${name}” ${reason}${status}, so nothing after it was sent but the cleanup.`;
}
