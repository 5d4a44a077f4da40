import type { JudgedCheck, Verdict } from '../judge/verdict.ts';
import type { Redactor } from './redact.ts';

/** The verdict as people may read it: judged on what really came, told without secrets. */
export function redactVerdict(verdict: Verdict, { text }: Redactor): Verdict {
  const { failure, checks, notes } = verdict;
  return {
    ...verdict,
    failure: failure && { ...failure, message: text(failure.message), cure: text(failure.cure) },
    checks: checks.map((check) => redactCheck(check, text)),
    notes: notes.map(text),
  };
}

function redactCheck(check: JudgedCheck, text: Redactor['text']): JudgedCheck {
  const { outcome } = check;
  const shown = outcome && { ...outcome, expected: text(outcome.expected), actual: text(outcome.actual) };
  return { ...check, text: text(check.text), outcome: shown };
}
