import type { CheckKind } from '../check-kind.ts';
import { describeCount, isCountSatisfied, parseCount } from '../forms/count-form.ts';
import { findLines, type LogCountCheck, type LogCountSubject, logCountSubjects } from '../forms/log-form.ts';
import type { ObservedLog } from '../observation.ts';
import { createLogSubject } from '../subjects/log-subject.ts';
import { findUncheckedCounts } from '../subjects/unchecked-log.ts';

const logCountPattern = /^log\s+([a-z_]+)\s*(?=[<>=!])/;
const subjectTexts: Readonly<Record<LogCountSubject, readonly [one: string, many: string]>> = {
  lines: ['line of the run', 'lines of the run'],
  errors: ['line of the run that is an error', 'lines of the run that are errors'],
  saga_events: ['saga event of the run', 'saga events of the run'],
};

function getCount(log: Extract<ObservedLog, { kind: 'lines' }>, subject: LogCountSubject): number {
  if (subject === 'lines') return log.lineCount;
  return subject === 'errors' ? log.errorCount : log.sagaEventCount;
}

/** `log lines>=1`, `log errors=0`, `log saga_events>=1`. */
export const logCount: CheckKind<LogCountCheck> = {
  kind: 'log_count',
  form: 'log lines=<n>',
  meaning:
    'so many lines of the target’s log hold the run’s id; `log errors=<n>` counts those that are errors, ' +
    '`log saga_events=<n>` the saga events among them, and both need at least one line; also `!=`, `>`, `>=`, `<`, `<=`',
  example: 'log errors=0',
  looksAt: 'log',
  counted: false,
  parse(text) {
    const match = text.startsWith('log') ? logCountPattern.exec(text) : null;
    const subject = logCountSubjects.find((each) => each === match?.[1]);
    const count = match === null || subject === undefined ? undefined : parseCount(text.slice(match[0].length));
    if (subject === undefined || count === undefined) return undefined;
    return { kind: 'log_count', subject, ...count, expected: describeCount(count, ...subjectTexts[subject]) };
  },
  judge(check, observation) {
    const log = findLines(check, observation);
    if ('passed' in log) return log;
    // Without any line nothing is known: a missing log must not pass as one without errors.
    if (check.subject !== 'lines' && log.lineCount === 0) {
      return { passed: false, expected: check.expected, actual: 'no line of the run was found' };
    }
    const count = getCount(log, check.subject);
    return { passed: isCountSatisfied(count, check), expected: check.expected, actual: String(count) };
  },
  getSubject: (_check, observation) => createLogSubject(observation),
  findUnchecked: findUncheckedCounts,
};
