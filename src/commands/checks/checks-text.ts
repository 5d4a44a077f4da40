/** Checks of a machine, as people read them: a mark, what was looked at, what was seen; problems with their cures below. */
import type { Checked, CheckOutcome, Problem } from '../../onboarding/preflight/check.ts';
import { printableLine } from '../../report/printable.ts';
import { wrapped } from '../../report/wrapped.ts';
import type { Paint } from '../../terminal/paint.ts';

const marks: Readonly<Record<CheckOutcome, string>> = { ok: '✓', skipped: '–', warning: '!', problem: '✕' };

/** One check, with a line break at its end. */
export function checkText({ title, outcome, facts, problems }: Checked, paint: Paint): string {
  const mark = styleOf(outcome, paint)(marks[outcome]);
  const seen = facts.length === 0 ? '' : `: ${facts.map(printableLine).join(', ')}`;
  const head = `${mark} ${wrapped(`${title}${seen}`, paint.proseWidth, 4)}`;
  return `${[head, ...problems.flatMap((problem) => problemLines(problem, paint))].join('\n')}\n`;
}

function problemLines({ message, cure, code }: Problem, paint: Paint): string[] {
  const { proseWidth } = paint;
  return [
    `    ${wrapped(`${printableLine(message)} (${code})`, proseWidth, 4)}`,
    `    ${paint.faint('cure:')} ${wrapped(printableLine(cure), proseWidth, 10)}`,
  ];
}

function styleOf(outcome: CheckOutcome, paint: Paint) {
  if (outcome === 'ok') return paint.passed;
  if (outcome === 'skipped') return paint.faint;
  return outcome === 'warning' ? paint.broken : paint.failed;
}

/** `2 problems, 1 warning`; empty when all is well. */
export function countsText(checks: readonly Checked[]): string {
  const problems = checks.flatMap((check) => check.problems);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const parts = [counted(errors, 'problem'), counted(problems.length - errors, 'warning')];
  return parts.filter((part) => part !== '').join(', ');
}

function counted(count: number, noun: string): string {
  if (count === 0) return '';
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
