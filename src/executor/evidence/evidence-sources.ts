/** Sources of evidence besides the response, where they are configured. */
import { formatError, VpError } from '../../errors/vp-error.ts';
import type { LogSource } from '../../logs/log-source.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import { quoteName, suggestPolicy } from '../database/format.ts';
import type { TargetDatabase } from '../database/target-database.ts';

/** A member is absent when its source is not configured. */
export type EvidenceSources = { readonly log?: LogSource | undefined; readonly database?: TargetDatabase | undefined };

/**
 * The compose service that answers requests: the host of the target's address, or where that says nothing (an IP address, a
 * name with dots, this machine) the only service whose log is read. Other services of a project write lines of a run too, in
 * changing order, and their images are not the target's version.
 */
export function findTargetService({
  targets,
  logstore,
}: Pick<ProjectConfig, 'targets' | 'logstore'>): string | undefined {
  const host = new URL(targets.http.baseUrl).hostname;
  if (host !== 'localhost' && !/[.:]/.test(host)) return host;
  const [service, ...others] = logstore?.services ?? [];
  return others.length === 0 ? service : undefined;
}

/** Maximum number of tables in a warning. */
const maxListedNames = 20;

function formatNames(names: readonly string[]): string {
  const listedNames = names.slice(0, maxListedNames).join(', ');
  return names.length > maxListedNames ? `${listedNames} and ${names.length - maxListedNames} more` : listedNames;
}

/**
 * Warnings about the permissions of the database user, who should be able to read everything and write nothing. Rejects
 * with DATABASE_UNREACHABLE.
 */
export async function listGrantWarnings(database: TargetDatabase, user: string) {
  const { writable, unreadable, hidden, tooPowerful } = await database.grants();
  const [firstHidden] = hidden;
  return [
    ...(tooPowerful.length === 0
      ? []
      : [formatError('EVIDENCE_DATABASE_POWERFUL', { user, privileges: formatNames(tooPowerful) })]),
    ...(writable.length === 0
      ? []
      : [formatError('EVIDENCE_DATABASE_WRITABLE', { user, tables: formatNames(writable) })]),
    ...(unreadable.length === 0
      ? []
      : [formatError('EVIDENCE_DATABASE_UNREADABLE', { user, tables: formatNames(unreadable) })]),
    ...(firstHidden === undefined
      ? []
      : [
          formatError('EVIDENCE_DATABASE_HIDDEN', {
            user,
            tables: formatNames(hidden),
            policy: suggestPolicy(quoteName(firstHidden), user),
          }),
        ]),
  ];
}

/** A query that lacks access says so itself. */
const missingAccess: ReadonlySet<string> = new Set(['EVIDENCE_DATABASE_UNREADABLE', 'EVIDENCE_DATABASE_HIDDEN']);

/**
 * Notes for reports about a database user who may do more than read, read once per executor. Undefined results are tried
 * again: the queries of the run say then why the database cannot be reached.
 */
export function createGrantNotes(database: TargetDatabase, user: string): () => Promise<readonly string[]> {
  let notes: readonly string[] | undefined;
  return async () => {
    if (notes) return notes;
    try {
      const warnings = await listGrantWarnings(database, user);
      const excessive = warnings.filter(({ code }) => !missingAccess.has(code));
      notes = excessive.map(({ message, cure }) => `${message}: ${cure}`);
      return notes;
    } catch (error) {
      if (error instanceof VpError) return [];
      throw error;
    }
  };
}
