import { formatDuration, formatSize } from '../../../report/measures.ts';
import type { FailedCheck, Report, ReportStep } from '../../../report/report.ts';
import { formatConcurrent, stepOutcomeLabels } from '../../../report/text/text-steps.ts';
import { StatusIcon } from '../../components/status-icon.tsx';
import { formatCount } from '../../text/format.ts';
import { HeadersView } from './headers-view.tsx';
import { EvidenceProblem } from './missing-evidence.tsx';

/** True for a run of a scenario with STEPS or requests of CLEANUP. */
export function hasStepsToShow(report: Report | null | undefined): boolean {
  return (report?.steps?.length ?? 0) + (report?.cleanup?.length ?? 0) > 0;
}

/** The requests before the trigger, and those after the verdict. */
export function StepsView({ report }: { report: Report }) {
  const { steps = [], cleanup = [] } = report;
  if (!hasStepsToShow(report)) return <p className="faint">The scenario has no steps and no requests to clean up.</p>;
  return (
    <>
      <StepList title="Steps" steps={steps} />
      <StepList title="Cleanup" steps={cleanup} />
    </>
  );
}

function StepList({ title, steps }: { title: string; steps: readonly ReportStep[] }) {
  if (steps.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {steps.map((step) => (
        <StepResult key={step.line} step={step} />
      ))}
    </section>
  );
}

export const stepIcons = {
  passed: 'passed',
  failed: 'failed',
  not_judged: 'broken',
  not_sent: 'queued',
  not_known: 'broken',
} as const;

function StepResult({ step }: { step: ReportStep }) {
  const { name, line, outcome, problem, cure, checks, exchange, attempts, concurrent, total_ms: totalMs } = step;
  const { request, response } = exchange;
  return (
    <section className="query" aria-label={name}>
      <p className="exchange-line">
        <span>
          <StatusIcon status={stepIcons[outcome]} decorative /> <b>{name}</b> · line {line} ·{' '}
          {stepOutcomeLabels[outcome]}
          {response ? ` · status ${response.status} · ${formatSize(response.body.size_bytes)}` : null}
          {concurrent ? ` · ${formatConcurrent(concurrent)}` : null}
          {attempts !== null && attempts > 1 ? ` · sent ${formatCount(attempts, 'time')}` : null}
          {totalMs === null ? null : ` · ${formatDuration(totalMs)}`}
        </span>
      </p>
      {request ? (
        <p className="mono">
          <b>{request.method}</b> {request.url}
        </p>
      ) : null}
      <EvidenceProblem problem={problem} cure={cure} />
      <StepChecks failed={checks.filter((check) => check.outcome === 'failed')} />
      {response ? <HeadersView headers={response.headers} /> : null}
      {response?.body.text ? (
        <details className="headers">
          <summary>Body</summary>
          <pre className="mono">{response.body.text}</pre>
        </details>
      ) : null}
    </section>
  );
}

export function StepChecks({ failed }: { failed: readonly FailedCheck[] }) {
  if (failed.length === 0) return null;
  return (
    <ul className="check-list">
      {failed.map(({ line, text, expected, actual }) => (
        <li key={line}>
          <code>{text}</code>: expected {expected ?? '–'}, got {actual ?? '–'}
        </li>
      ))}
    </ul>
  );
}
