import type { ReactNode } from 'react';
import type { FailedCheck, ReportCase, ReportStep } from '../../../report/report.ts';
import { stepOutcomeLabels } from '../../../report/text/text-steps.ts';
import { StatusIcon } from '../../components/status-icon.tsx';
import { EvidenceProblem } from './missing-evidence.tsx';

const outcomeIcons = {
  passed: 'passed',
  failed: 'failed',
  not_judged: 'broken',
  not_sent: 'queued',
  not_known: 'broken',
} as const;

type RequestResultProps = {
  readonly entry: ReportStep | ReportCase;
  /** Behind the outcome; those that are undefined are left out. */
  readonly facts: readonly (string | undefined)[];
  readonly failed: readonly FailedCheck[];
  /** Before the body. */
  readonly children?: ReactNode;
};

/** One request of a run and what it received: a step, a request of CLEANUP, a case. */
export function RequestResult({ entry, facts, failed, children }: RequestResultProps) {
  const { name, line, outcome, problem, cure, exchange } = entry;
  const { request, response } = exchange ?? { request: null, response: null };
  const words = [`line ${line}`, stepOutcomeLabels[outcome], ...facts.filter((fact) => fact !== undefined)];
  return (
    <section className="query" aria-label={name}>
      <p className="exchange-line">
        <span>
          <StatusIcon status={outcomeIcons[outcome]} decorative /> <b>{name}</b> · {words.join(' · ')}
        </span>
      </p>
      {request ? (
        <p className="mono">
          <b>{request.method}</b> {request.url}
        </p>
      ) : null}
      <EvidenceProblem problem={problem} cure={cure} />
      <FailedChecks failed={failed} />
      {children}
      {response?.body.text ? (
        <details className="headers">
          <summary>Body</summary>
          <pre className="mono">{response.body.text}</pre>
        </details>
      ) : null}
    </section>
  );
}

function FailedChecks({ failed }: { failed: readonly FailedCheck[] }) {
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
