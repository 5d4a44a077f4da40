/** The proof of a run as lines of text: what is wrong first, what is well in a line each. */
import type { Paint } from './paint.ts';
import { printableLine } from './printable.ts';
import { countsOf, sortedChecks } from './proof-words.ts';
import type { ProvenCheck, ReportProof } from './report.ts';
import { wrapped } from './wrapped.ts';

/** Checks, and unchecked parts, told at most. */
const told = 40;

const signs: Readonly<Record<ProvenCheck['verdict'], string>> = {
  never_fails: '✕',
  not_tried: '!',
  covered: '=',
  proven: '✓',
};

/** The lines, two columns in. */
export function proofLines(proof: ReportProof, paint: Paint): string[] {
  const head = paint.strong('proof');
  if (proof.problem !== null) return [`  ${head}  ${prose(proof.problem, paint, 9)}`];
  const checks = sortedChecks(proof);
  return [
    `  ${head}  ${countsOf(proof)}`,
    ...checks.slice(0, told).flatMap((check) => checkLines(check, paint)),
    ...rest(checks.length),
    ...uncheckedLines(proof, paint),
  ];
}

function checkLines(check: ProvenCheck, paint: Paint): string[] {
  const { verdict, line, text, example, advice } = check;
  const colour = { never_fails: paint.failed, not_tried: paint.broken, covered: paint.faint, proven: paint.passed };
  const why = verdict === 'proven' ? `fails when ${example ?? ''}` : (advice ?? '');
  const title = `    ${colour[verdict](signs[verdict])} ${paint.faint(`line ${line}`)}  ${printableLine(text)}`;
  return [title, `        ${(verdict === 'proven' ? paint.faint : plain)(prose(why, paint, 8))}`];
}

function uncheckedLines({ unchecked }: ReportProof, paint: Paint): string[] {
  if (unchecked.length === 0) return [];
  return [
    `  ${paint.strong('nothing checks')}  these parts of what came back; each line would, and holds now`,
    ...unchecked.slice(0, told).map(({ suggestion, value }) => {
      return `    ${printableLine(`- ${suggestion}`)}  ${paint.faint(printableLine(`now ${value}`))}`;
    }),
    ...rest(unchecked.length),
  ];
}

function rest(count: number): string[] {
  return count > told ? [`    … ${count - told} more`] : [];
}

function plain(text: string): string {
  return text;
}

function prose(text: string, { proseWidth }: Paint, indent: number): string {
  return wrapped(printableLine(text), proseWidth, indent);
}
