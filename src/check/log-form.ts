/** The lines of the run that checks of the log look at. */
import type { Observed, ObservedLog } from './observed.ts';
import type { Outcome } from './outcome.ts';

/** How `log has …` begins. */
export const logOpening = /^log\s+has(?:\s+|$)/;

/** What such a check holds beside its own. */
export type LogCheck = { readonly expected: string };

/** The run's lines. */
export type Lines = Extract<ObservedLog, { kind: 'lines' }>;

/** What was found in the log, or the failing outcome that says why there is nothing. */
export function linesOf({ expected }: LogCheck, { log }: Observed): Lines | Outcome {
  if (log?.kind === 'lines') return log;
  return { passed: false, expected, actual: log?.problem ?? 'nobody looked at the log' };
}

/** `1 line`, `2 lines`, of the run. */
export function lineWords(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}
