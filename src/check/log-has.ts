import { explainAbsence } from './absence.ts';
import { fieldOf, readHasForm } from './body-form.ts';
import { bounded, quoted, stringForm } from './bounded.ts';
import { type FieldPath, resolve } from './field-path.ts';
import type { CheckKind } from './kind.ts';
import { type Lines, type LogCheck, linesOf, lineWords, logOpening } from './log-form.ts';
import type { Json, Observed } from './observed.ts';
import { passes, readValueTest, testWords, type ValueTest } from './value-test.ts';

/** Some line of the run has the field, and it passes the test. */
export type LogHasCheck = LogCheck & {
  readonly kind: 'log_has';
  readonly field: FieldPath;
  readonly test: ValueTest;
};

/** Values told of lines that have the field. */
const valuesTold = 3;

function shown(value: Json, { conceal }: Observed): string {
  const plain = stringForm(value);
  const text = conceal?.(plain) ?? plain;
  return typeof value === 'string' ? quoted(text) : bounded(text);
}

/** Lines beyond those that were kept were counted, not looked at. */
function unread({ lines, lineCount }: Lines): string {
  return lineCount > lines.length ? `; only the first ${lines.length} of ${lineCount} lines were looked at` : '';
}

/** Why no line passed. */
function explain({ field }: LogHasCheck, log: Lines, observed: Observed): string {
  if (log.lineCount === 0) return 'no line of the log belongs to the run';
  const values = log.lines.flatMap(({ fields }) => {
    const found = fields && resolve(fields, field);
    return found === undefined ? [] : [shown(found.value, observed)];
  });
  const different = [...new Set(values)];
  if (different.length > 0) {
    const more = different.length > valuesTold ? ` and ${different.length - valuesTold} more` : '';
    return `${different.slice(0, valuesTold).join(', ')}${more} in ${lineWords(values.length)}${unread(log)}`;
  }
  const fields = log.lines.find((line) => line.fields !== undefined)?.fields;
  if (fields === undefined) return `${lineWords(log.lineCount)}, none of which is a JSON object`;
  return `in ${lineWords(log.lineCount)} ${explainAbsence(fields, field, observed.conceal)}${unread(log)}`;
}

/** `log has <field> [<test>]`. */
export const logHas: CheckKind<LogHasCheck> = {
  kind: 'log_has',
  form: 'log has <field> [<test>]',
  meaning: 'some line of the run has the field, and it passes the test; without a test, that it is there, be it null',
  example: 'log has level equals info',
  looksAt: 'log',
  counted: false,
  parse(text, report) {
    const start = text.startsWith('log') ? logOpening.exec(text)?.[0].length : undefined;
    if (start === undefined) return undefined;
    const form = readHasForm(text, start);
    const test = readValueTest(form, text.slice(0, form.field.end), report);
    if (test === undefined) return undefined;
    const field = fieldOf(form.field, report);
    if (field === undefined || test === 'refused') return 'refused';
    return { kind: 'log_has', field, test, expected: `a line of the run with a \`${field.text}\`${testWords(test)}` };
  },
  judge(check, observed) {
    const { field, test, expected } = check;
    const log = linesOf(check, observed);
    if ('passed' in log) return log;
    for (const [at, { fields }] of log.lines.entries()) {
      const found = fields && resolve(fields, field);
      if (found === undefined || !passes(test, found.value, observed.conceal)) continue;
      return { passed: true, expected, actual: `${shown(found.value, observed)} in line ${at + 1} of the run` };
    }
    return { passed: false, expected, actual: explain(check, log, observed) };
  },
};
