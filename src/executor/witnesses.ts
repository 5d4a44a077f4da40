/** What else than its answer tells of the target: its log and its database, where somebody set them up. */
import type { Unavailable } from '../check/observed.ts';
import { wordsOf } from '../errors/vp-error.ts';
import type { LogSource } from '../logs/log-source.ts';
import type { TargetDatabase } from './database/target-database.ts';

/** Each is absent where nothing was configured. */
export type Witnesses = { readonly log?: LogSource | undefined; readonly database?: TargetDatabase | undefined };

/** Evidence that nobody can give, because no such witness was configured. */
export function absent(code: 'EVIDENCE_LOG_ABSENT' | 'EVIDENCE_DATABASE_ABSENT'): Unavailable {
  const { message, cure } = wordsOf(code, {});
  return { kind: 'unavailable', problem: message, cure };
}
