/** Results of machine checks as text: a mark, the title and the facts, then each problem and how to fix it. */
import { appendErrorCode } from '../../errors/append-code.ts';
import type { SetupCheckOutcome, SetupCheckResult, SetupProblem } from '../../onboarding/checks/setup-check.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { wrapText } from '../../report/text/wrap-text.ts';
import { formatNounCount } from '../../terminal/count.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';

const marks: Readonly<Record<SetupCheckOutcome, string>> = { ok: '✓', skipped: '–', warning: '!', problem: '✕' };

/** Ends with a line break. */
export function formatSetupCheck({ title, outcome, facts, problems }: SetupCheckResult, paint: TerminalPaint): string {
  const mark = outcomeStyle(outcome, paint)(marks[outcome]);
  const factsNote = facts.length === 0 ? '' : `: ${facts.map(escapeUnsafeLine).join(', ')}`;
  const head = `${mark} ${wrapText(`${title}${factsNote}`, paint.proseWidth, 4)}`;
  return `${[head, ...problems.flatMap((problem) => problemLines(problem, paint))].join('\n')}\n`;
}

function problemLines({ message, cure, code }: SetupProblem, paint: TerminalPaint): string[] {
  const { proseWidth } = paint;
  return [
    `    ${wrapText(appendErrorCode(escapeUnsafeLine(message), code), proseWidth, 4)}`,
    `    ${paint.faint('fix:')} ${wrapText(escapeUnsafeLine(cure), proseWidth, 10)}`,
  ];
}

function outcomeStyle(outcome: SetupCheckOutcome, paint: TerminalPaint) {
  if (outcome === 'ok') return paint.passed;
  if (outcome === 'skipped') return paint.faint;
  return outcome === 'warning' ? paint.broken : paint.failed;
}

/** `; 2 checks were not made`; empty where all were. */
export function formatSkipped(checks: readonly SetupCheckResult[]): string {
  const count = checks.filter(({ outcome }) => outcome === 'skipped').length;
  return count === 0 ? '' : `; ${formatNounCount(count, 'check')} ${count === 1 ? 'was' : 'were'} not made`;
}

/** `2 problems, 1 warning`; empty without problems. */
export function formatCounts(checks: readonly SetupCheckResult[]): string {
  const problems = checks.flatMap((check) => check.problems);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const parts = [formatNounCount(errors, 'problem'), formatNounCount(problems.length - errors, 'warning')];
  return parts.filter((part) => part !== '').join(', ');
}
