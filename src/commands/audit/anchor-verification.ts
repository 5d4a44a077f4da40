/** Compares the audit with the file of statements of `vp audit verify --anchors`. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { vpError } from '../../errors/vp-error.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';
import { parsePublicAnchorKey } from '../../hub/audit/anchor-key.ts';
import { parseStatements, type StatementLine } from '../../hub/audit/anchor-statement.ts';
import { type ChainVerdict, createFaultVerdict } from '../../hub/audit/verify-chains.ts';
import {
  checkStatements,
  findStatementFaults,
  type StatementContext,
  type StatementFault,
} from '../../hub/audit/verify-statements.ts';
import type { Sql } from '../../store/sql.ts';

export type KnownStatements = {
  readonly file: string;
  readonly lines: readonly StatementLine[];
  /** The key that the operator expects. */
  readonly publicKey: string | undefined;
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
 * FOLDER_FILE_UNREADABLE, AUDIT_KEY_UNUSABLE.
 */
export function readExpectedStatements(
  { anchors, 'audit-key': key }: { readonly anchors?: string | undefined; readonly 'audit-key'?: string | undefined },
  cwd: string,
): KnownStatements | undefined {
  if (anchors !== undefined) return readStatements(resolve(cwd, anchors), key, cwd);
  if (key === undefined) return undefined;
  throw vpError('FLAG_INVALID', {
    command: 'vp audit verify',
    flag: '--audit-key',
    problem: 'is for the statements of --anchors, which is missing',
  });
}

/** `key` is a public key as text, or a PEM file with a public or private key. */
function readStatements(file: string, key: string | undefined, cwd: string): KnownStatements {
  const isText = key !== undefined && /^[\w-]{43}$/.test(key);
  const publicKey = key === undefined || isText ? key : parsePublicAnchorKey(readText(resolve(cwd, key)), key);
  return { file, lines: parseStatements(readText(file)), publicKey };
}

export type StatementVerdict = {
  /** Problems of the file of statements. */
  readonly problems: readonly string[];
  /** Statements that the audit contradicts. */
  readonly chains: readonly ChainVerdict[];
};

/** Without `sql` there is no audit. */
export function verifyStatements(
  known: KnownStatements | undefined,
  sql: Sql | undefined,
  context: StatementContext,
): StatementVerdict {
  if (!known) return { problems: [], chains: [] };
  const { trusted, problems } = checkStatements(known.lines, known.publicKey);
  const faults = sql ? findStatementFaults(sql, trusted, context) : findAllMissing(trusted.at(-1));
  const chains = faults.map(({ hubId, fault }) => createFaultVerdict(hubId, undefined, fault));
  return { problems, chains };
}

function findAllMissing(newest: StatementLine['statement']): StatementFault[] {
  return (newest?.chains ?? []).map(({ hub_id: hubId, seq }) => ({
    hubId,
    fault: { kind: 'missing', seq, problem: `the file is missing, which had entry ${seq}` },
  }));
}

const maxProblems = 20;

export function formatStatements(known: KnownStatements | undefined, { problems }: StatementVerdict): string {
  if (!known) return '';
  const { file, lines, publicKey } = known;
  if (problems.length > 0) {
    const problemLines = problems.slice(0, maxProblems).map((problem) => `  ✕ ${problem}\n`);
    return `✕ ${file}: the statements cannot be trusted\n${problemLines.join('')}`;
  }
  const signer = lines.find(({ statement }) => statement)?.statement?.public_key;
  const count = `compared with ${lines.length} statement${lines.length === 1 ? '' : 's'} of ${file}`;
  if (!signer) return `${count}, which ${lines.length === 1 ? 'is' : 'are'} not signed\n`;
  const doubt = publicKey === undefined ? ' (name the key that you expect with --audit-key)' : '';
  return `${count}, signed with ${signer}${doubt}\n`;
}

/** For --json; undefined without statements. */
export function toStatementDocument(known: KnownStatements | undefined, { problems }: StatementVerdict) {
  return known && { file: known.file, statements: known.lines.length, problems };
}
