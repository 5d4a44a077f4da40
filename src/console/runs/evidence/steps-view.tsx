import { formatDuration, formatSize } from '../../../report/measures.ts';
import type { Report, ReportStep } from '../../../report/report.ts';
import { formatConcurrent } from '../../../report/text/text-steps.ts';
import { formatCount } from '../../text/format.ts';
import { HeadersView } from './headers-view.tsx';
import { RequestResult } from './request-result.tsx';

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

function StepResult({ step }: { step: ReportStep }) {
  const { checks, exchange, attempts, concurrent, total_ms: totalMs } = step;
  const { response } = exchange;
  const facts = [
    response ? `status ${response.status} · ${formatSize(response.body.size_bytes)}` : undefined,
    concurrent ? formatConcurrent(concurrent) : undefined,
    attempts !== null && attempts > 1 ? `sent ${formatCount(attempts, 'time')}` : undefined,
    totalMs === null ? undefined : formatDuration(totalMs),
  ];
  return (
    <RequestResult entry={step} facts={facts} failed={checks.filter(({ outcome }) => outcome === 'failed')}>
      {response ? <HeadersView headers={response.headers} /> : null}
    </RequestResult>
  );
}
