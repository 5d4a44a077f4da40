/** Compares the audit with the file of statements of `vp audit verify --anchors`. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { vpError } from '../../errors/vp-error.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';
import { parseStatements, type StatementLine } from '../../hub/audit/anchor-statement.ts';
import { parsePublicAnchorKey } from '../../hub/audit/signing/anchor-key.ts';
import { type StampedStatements, verifyTimeStamps } from '../../hub/audit/time-stamps/statement-time-stamps.ts';
import { type ChainVerdict, createFaultVerdict } from '../../hub/audit/verify-chains.ts';
import {
  checkStatements,
  countDeletedEntries,
  findStatementFaults,
  type StatementContext,
  type StatementFault,
} from '../../hub/audit/verify-statements.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import type { Sql } from '../../store/sql.ts';

export type KnownStatements = {
  readonly file: string;
  readonly lines: readonly StatementLine[];
  /** The key that the operator expects. */
  readonly publicKey: string | undefined;
  /** Undefined if time stamps are not verified. */
  readonly timeStamps: StampedStatements | undefined;
};

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = getSystemErrorCode(error);
    if (reason === undefined) throw error;
    throw vpError('FOLDER_FILE_UNREADABLE', { file, reason }, { cause: error });
  }
}

/**
 * The statements that the flags name. Read them before the audit, which may go on meanwhile. Throws FLAG_INVALID,
 * FOLDER_FILE_UNREADABLE, AUDIT_KEY_UNUSABLE, EXECUTOR_CA_UNREADABLE.
 */
export async function readExpectedStatements(
  { anchors, 'audit-key': key, 'audit-tsa-ca': roots }: StatementFlags,
  cwd: string,
  nowMs: number,
): Promise<KnownStatements | undefined> {
  if (anchors !== undefined) {
    const { file, lines, publicKey } = readStatements(resolve(cwd, anchors), key, cwd);
    if (roots === undefined) return { file, lines, publicKey, timeStamps: undefined };
    const certificates = readCertificates(resolve(cwd, roots)).map((pem) => new X509Certificate(pem));
    return { file, lines, publicKey, timeStamps: await verifyTimeStamps(lines, certificates, nowMs) };
  }
  if (key === undefined && roots === undefined) return undefined;
  throw vpError('FLAG_INVALID', {
    command: 'vp audit verify',
    flag: key === undefined ? '--audit-tsa-ca' : '--audit-key',
    problem: 'is for the statements of --anchors, which is missing',
  });
}

type StatementFlags = {
  readonly anchors?: string | undefined;
  readonly 'audit-key'?: string | undefined;
  readonly 'audit-tsa-ca'?: string | undefined;
};

/** `key` is a public key as text, or a file with a public key in PEM or of OpenSSH, or with a private key in PEM. */
function readStatements(file: string, key: string | undefined, cwd: string) {
  const isText = key !== undefined && /^[\w-]{43}$/.test(key);
  const publicKey = key === undefined || isText ? key : parsePublicAnchorKey(readText(resolve(cwd, key)), key);
  return { file, lines: parseStatements(readText(file)), publicKey };
}

export type StatementVerdict = {
  /** Problems of the file of statements. */
  readonly problems: readonly string[];
  /** Statements that the audit contradicts. */
  readonly chains: readonly ChainVerdict[];
  /** Stated entries that retention deleted. */
  readonly deletedCount: number;
};

/** Without `sql` there is no audit. */
export function verifyStatements(
  known: KnownStatements | undefined,
  sql: Sql | undefined,
  context: StatementContext,
): StatementVerdict {
  if (!known) return { problems: [], chains: [], deletedCount: 0 };
  const { trusted, problems } = checkStatements(known.lines, known.publicKey);
  const faults = sql ? findStatementFaults(sql, trusted, context) : findAllMissing(trusted.at(-1));
  const chains = faults.map(({ hubId, fault }) => createFaultVerdict(hubId, undefined, fault));
  const deletedCount = sql ? countDeletedEntries(sql, trusted) : 0;
  return { problems: [...problems, ...(known.timeStamps?.problems ?? [])], chains, deletedCount };
}

function findAllMissing(newest: StatementLine['statement']): StatementFault[] {
  return (newest?.chains ?? []).map(({ hub_id: hubId, seq }) => ({
    hubId,
    fault: { kind: 'missing', seq, problem: `the file is missing, which had entry ${seq}` },
  }));
}

const maxProblems = 20;

export function formatStatements(
  known: KnownStatements | undefined,
  { problems, deletedCount }: StatementVerdict,
): string {
  if (!known) return '';
  const { file, lines, publicKey, timeStamps } = known;
  if (problems.length > 0) {
    const problemLines = problems.slice(0, maxProblems).map((problem) => `  ✕ ${problem}\n`);
    return `✕ ${file}: the statements cannot be trusted\n${problemLines.join('')}`;
  }
  const signer = lines.find(({ statement }) => statement)?.statement?.public_key;
  const count = `compared with ${lines.length} statement${lines.length === 1 ? '' : 's'} of ${file}`;
  const stamps = `${timeStamps ? formatTimeStamps(timeStamps) : formatUnverified(lines)}${formatDeleted(deletedCount)}`;
  if (!signer) return `${count}, which ${lines.length === 1 ? 'is' : 'are'} not signed\n${stamps}`;
  const doubt = publicKey === undefined ? ' (name the key that you expect with --audit-key)' : '';
  return `${count}, signed with ${signer}${doubt}\n${stamps}`;
}

function formatDeleted(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '1 stated entry is gone since\n' : `${count} stated entries are gone since\n`;
}

function formatUnverified(lines: readonly StatementLine[]): string {
  const count = lines.filter(({ statement }) => statement?.time_stamp !== undefined).length;
  return count === 0 ? '' : `${count} time-stamped, which was not verified (name the roots with --audit-tsa-ca)\n`;
}

function formatTimeStamps({ stampedCount, unstampedCount, signers, lastAtMs = 0 }: StampedStatements): string {
  const without = unstampedCount > 0 ? `, ${unstampedCount} without one` : '';
  return `${stampedCount} time-stamped${without}, the last at ${new Date(lastAtMs).toISOString()}, by ${signers.join(' and ')}\n`;
}

/** For --json; undefined without statements. */
export function toStatementDocument(known: KnownStatements | undefined, { problems, deletedCount }: StatementVerdict) {
  if (!known) return undefined;
  const { file, lines, timeStamps } = known;
  const stamps = timeStamps && {
    time_stamped: timeStamps.stampedCount,
    not_time_stamped: timeStamps.unstampedCount,
    time_stamped_by: timeStamps.signers,
    last_time_stamp_at: timeStamps.lastAtMs === undefined ? null : new Date(timeStamps.lastAtMs).toISOString(),
  };
  return { file, statements: lines.length, problems, deleted_entries: deletedCount, ...stamps };
}
