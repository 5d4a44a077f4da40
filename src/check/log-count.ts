import { type CountTest, countHolds, countWords, readCount } from './count-form.ts';
import type { CheckKind } from './kind.ts';
import { type LogCheck, linesOf } from './log-form.ts';
import type { ObservedLog } from './observed.ts';

/** What of the run's lines is counted. */
export const logCounts = ['lines', 'errors', 'saga_events'] as const;
/** One of {@link logCounts}. */
export type LogCount = (typeof logCounts)[number];

/** So many lines of the log belong to the run. */
export type LogCountCheck = LogCheck & CountTest & { readonly kind: 'log_count'; readonly of: LogCount };

const form = /^log\s+([a-z_]+)\s*(?=[<>=!])/;
const words: Readonly<Record<LogCount, readonly [one: string, many: string]>> = {
  lines: ['line of the run', 'lines of the run'],
  errors: ['line of the run that is an error', 'lines of the run that are errors'],
  saga_events: ['saga event of the run', 'saga events of the run'],
};

function counted(log: Extract<ObservedLog, { kind: 'lines' }>, of: LogCount): number {
  if (of === 'lines') return log.lineCount;
  return of === 'errors' ? log.errorCount : log.sagaEventCount;
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
    const found = text.startsWith('log') ? form.exec(text) : null;
    const of = logCounts.find((each) => each === found?.[1]);
    const count = found === null || of === undefined ? undefined : readCount(text.slice(found[0].length));
    if (of === undefined || count === undefined) return undefined;
    return { kind: 'log_count', of, ...count, expected: countWords(count, ...words[of]) };
  },
  judge(check, observed) {
    const log = linesOf(check, observed);
    if ('passed' in log) return log;
    // Without any line nothing is known: an absent log must not pass for one without errors.
    if (check.of !== 'lines' && log.lineCount === 0) {
      return { passed: false, expected: check.expected, actual: 'no line of the run was found' };
    }
    const count = counted(log, check.of);
    return { passed: countHolds(count, check), expected: check.expected, actual: String(count) };
  },
};
