/** Verifies the time stamps of statements, and that statements without one are followed by one that has it. */
import type { X509Certificate } from 'node:crypto';
import { type AnchorStatement, type StatementLine, serializeStamped } from '../anchor-statement.ts';
import { TimeStampError } from './time-stamp-error.ts';

/** How long a server may be unavailable: a later time stamp confirms everything before it, but not when that was stated. */
export const maxUnstampedMs = 86_400_000;
/** How far the time of a statement may be from that of its time stamp. */
const maxDifferenceMs = 600_000;

export type StampedStatements = {
  readonly stampedCount: number;
  readonly unstampedCount: number;
  /** The subjects of the servers' certificates. */
  readonly signers: readonly string[];
  /** Undefined without a valid time stamp. */
  readonly lastAtMs: number | undefined;
  readonly problems: readonly string[];
};

export async function verifyTimeStamps(
  lines: readonly StatementLine[],
  roots: readonly X509Certificate[],
  nowMs: number,
): Promise<StampedStatements> {
  const problems: string[] = [];
  const signers = new Set<string>();
  const unstamped: { readonly line: number; readonly atMs: number }[] = [];
  let [stampedCount, unstampedCount] = [0, 0];
  let lastAtMs: number | undefined;
  const settleUnstamped = (nextAtMs: number): void => {
    for (const { line, atMs } of unstamped.splice(0))
      if (nextAtMs - atMs > maxUnstampedMs)
        problems.push(`line ${line} has no time stamp, and none followed within ${maxUnstampedMs / 3_600_000} hours`);
  };
  for (const { line, statement } of lines) {
    if (!statement) continue;
    if (statement.time_stamp === undefined) {
      unstampedCount += 1;
      unstamped.push({ line, atMs: statement.at_ms });
      continue;
    }
    const result = await verifyLine(statement, statement.time_stamp, roots);
    if (typeof result === 'string') {
      problems.push(`line ${line} has an invalid time stamp: ${result}`);
      continue;
    }
    if (lastAtMs !== undefined && result.atMs < lastAtMs)
      problems.push(`line ${line} was time-stamped before a line above it`);
    lastAtMs = result.atMs;
    signers.add(result.signer);
    stampedCount += 1;
    settleUnstamped(result.atMs);
  }
  if (stampedCount === 0 && problems.length === 0) problems.push('no statement has a time stamp');
  settleUnstamped(nowMs);
  return { stampedCount, unstampedCount, signers: [...signers], lastAtMs, problems };
}

/** A text says what is wrong. */
async function verifyLine(statement: AnchorStatement, token: string, roots: readonly X509Certificate[]) {
  const { verifyTimeStamp } = await import('./time-stamp-token.ts');
  try {
    const stamp = await verifyTimeStamp(token, { text: serializeStamped(statement), roots });
    const isNear = Math.abs(stamp.atMs - statement.at_ms) <= maxDifferenceMs;
    return isNear ? stamp : `it was made at ${new Date(stamp.atMs).toISOString()}, and not when the statement says`;
  } catch (error) {
    if (error instanceof TimeStampError) return error.message;
    throw error;
  }
}
