import type { CheckKind, EvidenceGap } from '../check-kind.ts';
import {
  describeCount,
  isCountSatisfied,
  isDecidedBetween,
  isOpenCountSatisfied,
  parseCount,
} from '../forms/count-form.ts';
import {
  findLines,
  type LogCountCheck,
  type LogCountSubject,
  type LogLines,
  logCountSubjects,
} from '../forms/log-form.ts';
import type { ObservedLog } from '../observation.ts';
import { createLogSubject } from '../subjects/log-subject.ts';
import { findUncheckedCounts } from '../subjects/unchecked-log.ts';

const logCountPattern = /^log\s+([a-z_]+)\s*(?=[<>=!])/;
const subjectTexts: Readonly<Record<LogCountSubject, readonly [one: string, many: string, unknown: string]>> = {
  lines: ['line of the run', 'lines of the run', 'how many lines the run has'],
  errors: ['line of the run that is an error', 'lines of the run that are errors', 'which lines are errors'],
  saga_events: ['saga event of the run', 'saga events of the run', 'which lines are saga events'],
};

function getCount(log: LogLines, subject: LogCountSubject): number {
  if (subject === 'lines') return log.lineCount;
  return subject === 'errors' ? log.errorCount : log.sagaEventCount;
}

/** Further lines cannot make these hold while one line may count or not. */
const upperBounds: ReadonlySet<string> = new Set(['=', '<', '<=']);

/** A number of lines that may count or not leaves some checks open and decides others. */
function findCountGap(check: LogCountCheck, log: LogLines): EvidenceGap | undefined {
  const { subject } = check;
  const gap = { lines: log.gaps.lines, errors: log.gaps.errors, saga_events: log.gaps.sagaEvents }[subject];
  if (!gap) return undefined;
  const count = getCount(log, subject);
  if (gap.lineCount !== 'every' && isDecidedBetween(count, count + gap.lineCount, check)) return undefined;
  const isFinal = gap.lineCount === 'every' ? subject !== 'lines' : upperBounds.has(check.sign);
  return { subject: subjectTexts[subject][2], problem: gap.problem, cure: gap.cure, isFinal };
}

/** `log lines>=1`, `log errors=0`, `log saga_events>=1`. */
export const logCountKind: CheckKind<LogCountCheck> = {
  kind: 'log_count',
  form: 'log lines=<n>',
  meaning:
    'so many lines of the target’s log hold the run’s id; `log errors=<n>` counts those that are errors, ' +
    '`log saga_events=<n>` the saga events among them, and both need at least one line and the members of ' +
    '`observability.logstore` that tell which lines are such; also `!=`, `>`, `>=`, `<`, `<=`',
  example: 'log errors=0',
  looksAt: 'log',
  counted: false,
  parse(text) {
    const match = text.startsWith('log') ? logCountPattern.exec(text) : null;
    const subject = logCountSubjects.find((each) => each === match?.[1]);
    const count = match === null || subject === undefined ? undefined : parseCount(text.slice(match[0].length));
    if (subject === undefined || count === undefined) return undefined;
    const [one, many] = subjectTexts[subject];
    return { kind: 'log_count', subject, ...count, expected: describeCount(count, one, many) };
  },
  findGap: (check, { log }) => (log?.kind === 'lines' ? findCountGap(check, log) : undefined),
  judge(check, observation) {
    const log = findLines(check, observation);
    if ('passed' in log) return log;
    const gap = findCountGap(check, log);
    if (gap) return { passed: false, expected: check.expected, actual: gap.problem };
    // Without any line nothing is known: a missing log must not pass as one without errors.
    if (check.subject !== 'lines' && log.lineCount === 0) {
      return { passed: false, expected: check.expected, actual: 'no line of the run was found' };
    }
    const count = getCount(log, check.subject);
    return { passed: isCountSatisfied(count, check), expected: check.expected, actual: String(count) };
  },
  isFailureFinal(check, { log }) {
    if (log?.kind !== 'lines' || findCountGap(check, log)) return false;
    // Lines only come, so their number only grows.
    return isOpenCountSatisfied(getCount(log, check.subject), check) === false;
  },
  getSubject: (check, observation) =>
    explainUnseenSaga(check, observation.log) === undefined ? createLogSubject(observation) : undefined,
  explainUnprovable: (check, { log }) => explainUnseenSaga(check, log),
  findUnchecked: findUncheckedCounts,
};

/** A saga event more would be noticed only if its field were the one that the config names. */
function explainUnseenSaga({ subject }: LogCountCheck, log: ObservedLog | undefined): string | undefined {
  const unseen = log?.kind === 'lines' && log.gaps.unseen.find(({ member }) => member === 'saga_event_field');
  if (subject !== 'saga_events' || !unseen) return undefined;
  return (
    `no line of the run has the field \`${unseen.field}\` (\`observability.logstore.saga_event_field\`), so nothing shows ` +
    'that a saga event would be counted: prove it in a run that has one'
  );
}
