import { useEffect, useRef } from 'react';
import type { ReportCheck } from '../../report/report.ts';
import { Mark } from '../parts/mark.tsx';
import { reveal } from '../parts/reveal.ts';

type ScenarioChecksProps = {
  readonly text: string;
  readonly checks: readonly ReportCheck[];
  readonly chosen: number | undefined;
  /** Somebody has chosen it, so that the page may move. */
  readonly asked: boolean;
  readonly onChoose: (line: number) => void;
};

/** The scenario's source; each check says beside its line whether it held, and where not, what came instead. */
export function ScenarioChecks({ text, checks, chosen, asked, onChoose }: ScenarioChecksProps) {
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
              chosen={chosen === check.line}
              asked={asked}
              onChoose={onChoose}
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

const looks = { passed: 'passed', failed: 'failed', not_judged: 'queued' } as const;

type CheckLineProps = {
  readonly text: string;
  readonly check: ReportCheck;
  readonly chosen: boolean;
  readonly asked: boolean;
  readonly onChoose: (line: number) => void;
};

function CheckLine({ text, check, chosen, asked, onChoose }: CheckLineProps) {
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (chosen && ref.current) reveal(ref.current, asked);
  }, [chosen, asked]);
  return (
    <li ref={ref} className={`source-check is-${check.outcome}`} aria-current={chosen ? 'true' : undefined}>
      <button type="button" className="source-line" onClick={() => onChoose(check.line)} aria-pressed={chosen}>
        <span className="line-number">{check.line}</span>
        <code>{text}</code>
        {check.outcome === 'not_judged' ? (
          <span className="faint">not judged</span>
        ) : (
          <Mark look={looks[check.outcome]} />
        )}
      </button>
      {check.outcome === 'failed' || (chosen && check.actual !== null) ? <Finding check={check} /> : null}
    </li>
  );
}

function Finding({ check: { expected, actual } }: { check: ReportCheck }) {
  return (
    <dl className="finding">
      <dt>expected</dt>
      <dd>{expected ?? '–'}</dd>
      <dt>got</dt>
      <dd>{actual ?? '–'}</dd>
    </dl>
  );
}
