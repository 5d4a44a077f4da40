/** Compares the audit with statements that were made about it: what they name must still be there, unless retention explains it. */
import { findAuditChain, listAuditChains } from '../../store/audit/chains.ts';
import { findAuditEntryMac } from '../../store/audit/entries.ts';
import type { Sql } from '../../store/sql.ts';
import { type AnchorChain, type AnchorStatement, type StatementLine, serializeSigned } from './anchor-statement.ts';
import { isSignedByAnchorKey } from './signing/anchor-key.ts';
import type { AuditFault } from './verify-chains.ts';

export type StatementFault = { readonly hubId: string; readonly fault: AuditFault };

export type StatementContext = {
  readonly nowMs: number;
  /** The size of the audit; retention by size begins at the limit. */
  readonly usedBytes: number;
};

export type CheckedStatements = {
  /** In the order of the file. */
  readonly trusted: readonly AnchorStatement[];
  /** Problems of the file: malformed lines and invalid signatures. */
  readonly problems: readonly string[];
};

/** `publicKey` is the expected one, if it is known. */
export function checkStatements(lines: readonly StatementLine[], publicKey: string | undefined): CheckedStatements {
  if (lines.length === 0) return { trusted: [], problems: ['the file has no statement'] };
  const first = lines.find(({ statement }) => statement)?.statement?.public_key ?? null;
  const trusted: AnchorStatement[] = [];
  const problems: string[] = [];
  for (const { line, statement } of lines) {
    const problem = statement ? findSignatureProblem(statement, publicKey ?? first) : 'is not a statement';
    if (problem !== undefined) problems.push(`line ${line} ${problem}`);
    else if (statement) trusted.push(statement);
  }
  return { trusted, problems };
}

function findSignatureProblem(statement: AnchorStatement, expected: string | null): string | undefined {
  const { public_key: publicKey, signature } = statement;
  if (expected === null) return publicKey === null && signature === null ? undefined : 'is signed, others are not';
  if (publicKey === null || signature === null) return 'is not signed';
  if (publicKey !== expected) return 'is signed with another key';
  return isSignedByAnchorKey(expected, serializeSigned(statement), signature) ? undefined : 'has a wrong signature';
}

/** What statements say that the audit contradicts; the first fault of each chain and kind. `statements` in the order of the file. */
export function findStatementFaults(
  sql: Sql,
  statements: readonly AnchorStatement[],
  context: StatementContext,
): StatementFault[] {
  const newest = statements.at(-1);
  if (!newest) return [];
  const faults = new Map<string, StatementFault>();
  const previous = new Map<string, AnchorChain>();
  const couldBeFull = findFullPeriods(sql, statements);
  for (const [index, statement] of statements.entries())
    for (const chain of statement.chains) {
      const { hub_id: hubId } = chain;
      const before = previous.get(hubId);
      const isRepeated = before && JSON.stringify(before) === JSON.stringify(chain);
      previous.set(hubId, chain);
      if (isRepeated) continue;
      const time = new Date(statement.at_ms).toISOString();
      const chainFaults = [
        findStepBack(before, chain, time),
        findContradiction(sql, chain, newest.limits, { ...context, time, couldBeFull: couldBeFull[index] ?? false }),
      ];
      for (const fault of chainFaults) {
        const key = JSON.stringify([hubId, fault?.kind]);
        if (fault && !faults.has(key)) faults.set(key, { hubId, fault });
      }
    }
  return [...faults.values()];
}

/** A chain that was shorter later: the audit went back, and was written on. */
function findStepBack(before: AnchorChain | undefined, chain: AnchorChain, time: string): AuditFault | undefined {
  if (!before) return undefined;
  const isBack =
    chain.seq < before.seq ||
    chain.before_seq < before.before_seq ||
    (chain.erased_seq ?? 0) < (before.erased_seq ?? 0) ||
    (chain.seq === before.seq && chain.mac !== before.mac);
  if (!isBack) return undefined;
  return { kind: 'older', seq: chain.seq, problem: `the statement of ${time} is behind the one before it` };
}

type Limits = AnchorStatement['limits'];

function findContradiction(
  sql: Sql,
  { hub_id: hubId, seq, mac, at_ms: atMs, before_seq: beforeSeq, erased_seq: erasedSeq }: AnchorChain,
  limits: Limits,
  { nowMs, usedBytes, time, couldBeFull }: StatementContext & { readonly time: string; readonly couldBeFull: boolean },
): AuditFault | undefined {
  const chain = findAuditChain(sql, hubId);
  const known = `the statement of ${time} names entry ${seq}`;
  if (!chain) return { kind: 'missing', seq, problem: `the chain is missing, although ${known}` };
  if (chain.head_seq < seq)
    return { kind: 'older', seq, problem: `it ends with entry ${chain.head_seq}, although ${known}` };
  if (chain.before_seq < beforeSeq || (chain.erased_seq ?? 0) < (erasedSeq ?? 0))
    return { kind: 'older', seq, problem: `it has what retention had deleted before the statement of ${time}` };
  const isYoungerThan = (maxAgeMs: number): boolean => atMs !== null && nowMs - atMs < maxAgeMs;
  if (chain.before_seq > seq) {
    const isFull = usedBytes >= limits.max_bytes * sizeShare;
    if (!isYoungerThan(limits.max_age_ms) || (isFull && couldBeFull)) return undefined;
    const reason = isFull ? ', and the audit was far from its limit of size when it was last stated' : '';
    return { kind: 'removed', seq, problem: `entry ${seq} was deleted before its time, although ${known}${reason}` };
  }
  const storedMac = chain.before_seq === seq ? chain.before_mac : findAuditEntryMac(sql, chain.hub, seq);
  if (storedMac === undefined || Buffer.from(storedMac).toString('hex') !== mac)
    return { kind: 'altered', seq, problem: `entry ${seq} is missing or another one than in the statement of ${time}` };
  if ((chain.erased_seq ?? 0) >= seq && (erasedSeq ?? 0) < seq && isYoungerThan(limits.arguments_max_age_ms))
    return { kind: 'erased', seq, problem: `the arguments of entry ${seq} were erased before their time` };
  return undefined;
}

/** Retention by size deletes a slice at once, and leaves the file somewhat smaller than its limit. */
const sizeShare = 0.5;
/** The limit is noticed after the next rows. */
const fullShare = 0.9;
/** More than a row takes with its arguments and its entries in indexes. */
const maxRowBytes = 49_152;

/**
 * For each statement, whether the audit can have reached its limit of size at any time since then: a file that is padded afterwards has
 * not. Statements of earlier versions do not say how large it was.
 */
function findFullPeriods(sql: Sql, statements: readonly AnchorStatement[]): boolean[] {
  const newestLimit = statements.at(-1)?.limits.max_bytes ?? 0;
  const periods = statements.map((statement, index) => {
    const { used_bytes: usedBytes, limits } = statement;
    if (usedBytes === undefined) return true;
    const next = statements[index + 1];
    const rows = statement.chains.reduce(
      (sum, { hub_id: hubId, seq }) => {
        const end = next
          ? next.chains.find((chain) => chain.hub_id === hubId)?.seq
          : findAuditChain(sql, hubId)?.head_seq;
        return sum + Math.max(0, (end ?? seq) - seq);
      },
      countNewChains(sql, statement, next),
    );
    return usedBytes + rows * maxRowBytes >= Math.min(limits.max_bytes, newestLimit) * fullShare;
  });
  // What was possible later was possible since.
  for (let index = periods.length - 2; index >= 0; index -= 1) periods[index] ||= periods[index + 1] ?? false;
  return periods;
}

/** The rows of chains that began after a statement, and until the next one. */
function countNewChains(sql: Sql, { chains }: AnchorStatement, next: AnchorStatement | undefined): number {
  const stated = new Set(chains.map(({ hub_id: hubId }) => hubId));
  const ends = next
    ? next.chains.map(({ hub_id: hubId, seq }) => [hubId, seq] as const)
    : listAuditChains(sql).map(({ hub_id: hubId, head_seq: seq }) => [hubId, seq] as const);
  return ends.reduce((sum, [hubId, seq]) => (stated.has(hubId) ? sum : sum + seq), 0);
}

/** How many of the stated entries retention has deleted since. */
export function countDeletedEntries(sql: Sql, statements: readonly AnchorStatement[]): number {
  const lastSeqs = new Map<string, number>();
  for (const { chains } of statements)
    for (const { hub_id: hubId, seq } of chains) lastSeqs.set(hubId, Math.max(seq, lastSeqs.get(hubId) ?? 0));
  const deleted = [...lastSeqs].map(([hubId, seq]) => Math.min(seq, findAuditChain(sql, hubId)?.before_seq ?? 0));
  return deleted.reduce((sum, count) => sum + count, 0);
}
