/** What else than its answer tells of the target, where somebody set it up. */
import { wordsOf } from '../errors/vp-error.ts';
import type { LogSource } from '../logs/log-source.ts';
import type { TargetDatabase } from './database/target-database.ts';

/** Each is absent where nothing was configured. */
export type Witnesses = { readonly log?: LogSource | undefined; readonly database?: TargetDatabase | undefined };

/** Longest list of tables in a warning. */
const namesTold = 20;

function listed(names: readonly string[]): string {
  const told = names.slice(0, namesTold).join(', ');
  return names.length > namesTold ? `${told} and ${names.length - namesTold} more` : told;
}

/**
 * Warnings about what the database user may do: it should read everything and write nothing. Rejects with
 * DATABASE_UNREACHABLE.
 */
export async function grantWarnings(database: TargetDatabase, user: string) {
  const { writable, unreadable, tooPowerful } = await database.grants();
  return [
    ...(tooPowerful.length === 0 ? [] : [wordsOf('EVIDENCE_DATABASE_POWERFUL', { user, what: listed(tooPowerful) })]),
    ...(writable.length === 0 ? [] : [wordsOf('EVIDENCE_DATABASE_WRITABLE', { user, what: listed(writable) })]),
    ...(unreadable.length === 0 ? [] : [wordsOf('EVIDENCE_DATABASE_UNREADABLE', { user, tables: listed(unreadable) })]),
  ];
}
