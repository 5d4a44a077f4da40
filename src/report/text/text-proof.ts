/** The proof of a run as lines of text; checks that need attention come first. */
import { escapeUnsafeLine } from '../escape-unsafe.ts';
import { formatProofCounts, sortChecks } from '../proof-labels.ts';
import type { ProvenCheck, ReportProof } from '../report.ts';
import type { TextStyles } from './text-styles.ts';
import { wrapText } from './wrap-text.ts';

/** For checks and for unchecked parts each. */
const maxEntries = 40;

const verdictSigns: Readonly<Record<ProvenCheck['verdict'], string>> = {
  never_fails: '✕',
  not_tried: '!',
  covered: '=',
  proven: '✓',
};

/** Indented by two columns. */
export function formatProof(proof: ReportProof, paint: TextStyles): string[] {
  const head = paint.strong('proof');
  if (proof.problem !== null) return [`  ${head}  ${formatProse(proof.problem, paint, 9)}`];
  const checks = sortChecks(proof);
  return [
    `  ${head}  ${formatProofCounts(proof)}`,
    ...checks.slice(0, maxEntries).flatMap((check) => formatCheck(check, paint)),
    ...formatRemaining(checks.length),
    ...formatUnchecked(proof, paint),
  ];
}

function formatCheck(check: ProvenCheck, paint: TextStyles): string[] {
  const { verdict, line, text, example, advice } = check;
  const colour = { never_fails: paint.failed, not_tried: paint.broken, covered: paint.faint, proven: paint.passed };
  const explanation = verdict === 'proven' ? `fails when ${example ?? ''}` : (advice ?? '');
  const title = `    ${colour[verdict](verdictSigns[verdict])} ${paint.faint(`line ${line}`)}  ${escapeUnsafeLine(text)}`;
  return [title, `        ${(verdict === 'proven' ? paint.faint : identity)(formatProse(explanation, paint, 8))}`];
}

function formatUnchecked({ unchecked }: ReportProof, paint: TextStyles): string[] {
  if (unchecked.length === 0) return [];
  return [
    `  ${paint.strong('nothing checks')}  these parts of the evidence; each of these lines would, and passes now`,
    ...unchecked.slice(0, maxEntries).map(({ suggestion, value, note }) => {
      const remark = note === undefined ? `now ${value}` : `now ${value}; ${note}`;
      return `    ${escapeUnsafeLine(`- ${suggestion}`)}  ${paint.faint(escapeUnsafeLine(remark))}`;
    }),
    ...formatRemaining(unchecked.length),
  ];
}

function formatRemaining(count: number): string[] {
  return count > maxEntries ? [`    … ${count - maxEntries} more`] : [];
}

function identity(text: string): string {
  return text;
}

function formatProse(text: string, { proseWidth }: TextStyles, indent: number): string {
  return wrapText(escapeUnsafeLine(text), proseWidth, indent);
}
