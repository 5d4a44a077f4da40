/** The lines of the run that checks of the log look at. */
import type { CheckOutcome } from '../check-kind.ts';
import type { FieldPath } from '../json/field-path.ts';
import type { Observation, ObservedLog } from '../observation.ts';
import type { CountTest } from './count-form.ts';
import type { ValueTest } from './value-test.ts';

export const logHasPrefix = /^log\s+has(?:\s+|$)/;

/** `expected` is the text of `CheckOutcome.expected`. */
export type LogCheck = { readonly expected: string };

export const logCountSubjects = ['lines', 'errors', 'saga_events'] as const;
export type LogCountSubject = (typeof logCountSubjects)[number];

export type LogCountCheck = LogCheck & CountTest & { readonly kind: 'log_count'; readonly subject: LogCountSubject };

/** Some line of the run has the field, and it passes the test. */
export type LogHasCheck = LogCheck & {
  readonly kind: 'log_has';
  readonly field: FieldPath;
  readonly test: ValueTest;
};

export type LogLines = Extract<ObservedLog, { kind: 'lines' }>;

/** The run's lines, or the failing outcome that says why there are none. */
export function findLines({ expected }: LogCheck, { log }: Observation): LogLines | CheckOutcome {
  if (log?.kind === 'lines') return log;
  return { passed: false, expected, actual: log?.problem ?? 'the log was not read' };
}

export function formatLineCount(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}
