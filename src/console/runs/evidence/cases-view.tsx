import { countCases } from '../../../report/cases.ts';
import { formatDuration } from '../../../report/measures.ts';
import type { Report, ReportCase } from '../../../report/report.ts';
import { stepOutcomeLabels } from '../../../report/text/text-steps.ts';
import { StatusIcon } from '../../components/status-icon.tsx';
import { EvidenceProblem } from './missing-evidence.tsx';
import { StepChecks, stepIcons } from './steps-view.tsx';

/** The cases of a run; those that did not pass come first, with what they received. */
export function CasesView({ report }: { report: Report }) {
  const { cases = [], displayed_case: displayed } = report;
  const others = cases.filter(({ outcome }) => outcome !== 'passed');
  const passed = cases.filter(({ outcome }) => outcome === 'passed');
  return (
    <>
      <p>
        {countCases(cases)}. The other tabs are about the case <b>{displayed}</b>.
      </p>
      {others.map((entry) => (
        <CaseResult key={entry.line} entry={entry} />
      ))}
      {passed.length === 0 ? null : (
        <details open={others.length === 0}>
          <summary>Passed</summary>
          {passed.map((entry) => (
            <CaseResult key={entry.line} entry={entry} />
          ))}
        </details>
      )}
    </>
  );
}

function CaseResult({ entry }: { entry: ReportCase }) {
  const { name, line, outcome, problem, cure, failed_checks: failed, exchange, observed_status: status } = entry;
  const { request, response } = exchange ?? { request: null, response: null };
  return (
    <section className="query" aria-label={name}>
      <p className="exchange-line">
        <span>
          <StatusIcon status={stepIcons[outcome]} decorative /> <b>{name}</b> · line {line} ·{' '}
          {stepOutcomeLabels[outcome]}
          {status === null ? null : ` · status ${status}`}
          {entry.total_ms === null ? null : ` · ${formatDuration(entry.total_ms)}`}
        </span>
      </p>
      {request ? (
        <p className="mono">
          <b>{request.method}</b> {request.url}
        </p>
      ) : null}
      <EvidenceProblem problem={problem} cure={cure} />
      <StepChecks failed={failed} />
      {response?.body.text ? (
        <details className="headers">
          <summary>Body</summary>
          <pre className="mono">{response.body.text}</pre>
        </details>
      ) : null}
    </section>
  );
}
