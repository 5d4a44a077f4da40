import type { CheckKind } from '../check-kind.ts';
import { parseFieldPath, parseHasForm } from '../forms/has-form.ts';
import { findLines, formatLineCount, type LogHasCheck, type LogLines, logHasPrefix } from '../forms/log-form.ts';
import { describeTest, parseValueTest, passesTest } from '../forms/value-test.ts';
import { formatValue } from '../json/describe-value.ts';
import { explainAbsence } from '../json/explain-absence.ts';
import { resolveField } from '../json/field-path.ts';
import type { Json } from '../json/json.ts';
import type { Observation } from '../observation.ts';
import { createLogSubject } from '../subjects/log-subject.ts';
import { findUncheckedFields } from '../subjects/unchecked-log.ts';

const maxValues = 3;

/** Only the first lines are stored; the others were counted. */
function formatUnread({ lines, lineCount }: LogLines): string {
  return lineCount > lines.length ? `; only the first ${lines.length} of ${lineCount} lines were looked at` : '';
}

function explainMismatch({ field }: LogHasCheck, log: LogLines, observation: Observation): string {
  if (log.lineCount === 0) return 'no line of the log belongs to the run';
  const values = log.lines.flatMap(({ fields }) => {
    const match = fields && resolveField(fields, field);
    return match === undefined ? [] : [formatValue(match.value, observation.conceal)];
  });
  const distinctValues = [...new Set(values)];
  if (distinctValues.length > 0) {
    const more = distinctValues.length > maxValues ? ` and ${distinctValues.length - maxValues} more` : '';
    return `${distinctValues.slice(0, maxValues).join(', ')}${more} in ${formatLineCount(values.length)}${formatUnread(log)}`;
  }
  const fields = log.lines.find((line) => line.fields !== undefined)?.fields;
  if (fields === undefined) return `${formatLineCount(log.lineCount)}, none of which is a JSON object`;
  return `in ${formatLineCount(log.lineCount)} ${explainAbsence(fields, field, observation.conceal)}${formatUnread(log)}`;
}

function findPassingLine(
  { field, test }: LogHasCheck,
  { lines }: LogLines,
  observation: Pick<Observation, 'conceal' | 'nowMs'>,
): { readonly value: Json; readonly index: number } | undefined {
  for (const [index, { fields }] of lines.entries()) {
    const match = fields && resolveField(fields, field);
    if (match !== undefined && passesTest(test, match.value, observation)) return { value: match.value, index };
  }
  return undefined;
}

/** `log has <field> [<test>]`. */
export const logHasKind: CheckKind<LogHasCheck> = {
  kind: 'log_has',
  form: 'log has <field> [<test>]',
  meaning:
    'some line of the run has the field, and it passes the test; without a test, that it is present; its value may be null',
  example: 'log has level equals info',
  looksAt: 'log',
  counted: false,
  parse(text, report) {
    const start = text.startsWith('log') ? logHasPrefix.exec(text)?.[0].length : undefined;
    if (start === undefined) return undefined;
    const form = parseHasForm(text, start);
    const test = parseValueTest(form, text.slice(0, form.field.end), report);
    if (test === undefined) return undefined;
    const field = parseFieldPath(form.field, report);
    if (field === undefined || test === 'refused') return 'refused';
    return {
      kind: 'log_has',
      field,
      test,
      expected: `a line of the run with a \`${field.text}\`${describeTest(test)}`,
    };
  },
  /** Lines without fields decide nothing, where none of the others passes. */
  findGap(check, observation) {
    const { log } = observation;
    const gap = log?.kind === 'lines' ? log.gaps.fields : undefined;
    if (!gap || log?.kind !== 'lines' || findPassingLine(check, log, observation)) return undefined;
    return { subject: 'which fields the lines have', problem: gap.problem, cure: gap.cure, isFinal: false };
  },
  judge(check, observation) {
    const { expected } = check;
    const log = findLines(check, observation);
    if ('passed' in log) return log;
    const passing = findPassingLine(check, log, observation);
    if (!passing) return { passed: false, expected, actual: explainMismatch(check, log, observation) };
    const { value, index } = passing;
    return {
      passed: true,
      expected,
      actual: `${formatValue(value, observation.conceal)} in line ${index + 1} of the run`,
    };
  },
  getSubject: ({ field }, observation) => createLogSubject(observation, field),
  isPresenceCheck: ({ test }) => test.kind === 'exists',
  findUnchecked: (checks, observation) => findUncheckedFields(checks, observation, (text) => passes(text, observation)),
};

/** True when the text is a check of this kind without a problem, and holds. */
function passes(text: string, observation: Observation): boolean {
  let hasProblem = false;
  const check = logHasKind.parse(text, () => {
    hasProblem = true;
  });
  return !hasProblem && check !== undefined && check !== 'refused' && logHasKind.judge(check, observation).passed;
}
