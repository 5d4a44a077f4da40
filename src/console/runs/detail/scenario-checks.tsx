import { useEffect, useRef } from 'react';
import type { ReportCheck } from '../../../report/report.ts';
import { StatusIcon } from '../../components/status-icon.tsx';
import { revealElement } from './reveal-element.ts';

type ScenarioChecksProps = {
  readonly text: string;
  readonly checks: readonly ReportCheck[];
  readonly selected: number | undefined;
  /** The user selected the check, so the page may scroll. */
  readonly selectedByUser: boolean;
  readonly onSelect: (line: number) => void;
};

/** The scenario's source with the result of each check, and the actual value of failed ones. */
export function ScenarioChecks({ text, checks, selected, selectedByUser, onSelect }: ScenarioChecksProps) {
  const byLine = new Map(checks.map((check) => [check.line, check]));
  const lines = text.replace(/\n$/, '').split(/\r\n|\n|\r/);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className="source" aria-label="Scenario source" tabIndex={0}>
      <ol>
        {lines.map((line, index) => {
          const check = byLine.get(index + 1);
          return check ? (
            <CheckLine
              key={check.line}
              text={line}
              check={check}
              selected={selected === check.line}
              selectedByUser={selectedByUser}
              onSelect={onSelect}
            />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
            <li key={index} className="source-line">
              <span className="line-number">{index + 1}</span>
              <code className={line.startsWith('#') ? 'heading' : undefined}>{line || ' '}</code>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const outcomeStatuses = { passed: 'passed', failed: 'failed', not_judged: 'queued' } as const;

type CheckLineProps = {
  readonly text: string;
  readonly check: ReportCheck;
  readonly selected: boolean;
  readonly selectedByUser: boolean;
  readonly onSelect: (line: number) => void;
};

function CheckLine({ text, check, selected, selectedByUser, onSelect }: CheckLineProps) {
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (selected && ref.current) revealElement(ref.current, selectedByUser);
  }, [selected, selectedByUser]);
  const isCause = check.outcome === 'failed' && !check.follows_from_status;
  const isUnfolded = isCause || (selected && check.actual !== null);
  return (
    <li
      ref={ref}
      className={`source-check is-${check.follows_from_status ? 'not_judged' : check.outcome}`}
      aria-current={selected ? 'true' : undefined}
    >
      <button type="button" className="source-line" onClick={() => onSelect(check.line)} aria-pressed={selected}>
        <span className="line-number">{check.line}</span>
        <code>{text}</code>
        {check.follows_from_status ? (
          <span className="faint">follows from the status</span>
        ) : check.outcome === 'not_judged' ? (
          <span className="faint">not judged</span>
        ) : (
          <StatusIcon status={outcomeStatuses[check.outcome]} />
        )}
      </button>
      {isUnfolded ? <ExpectedAndActual check={check} /> : null}
    </li>
  );
}

function ExpectedAndActual({ check: { expected, actual } }: { check: ReportCheck }) {
  return (
    <dl className="finding">
      <dt>expected</dt>
      <dd>{expected ?? '–'}</dd>
      <dt>actual</dt>
      <dd>{actual ?? '–'}</dd>
    </dl>
  );
}
