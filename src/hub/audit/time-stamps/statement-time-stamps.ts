/** Verifies the time stamps of statements, and that statements without one are followed by one that has it. */
import type { X509Certificate } from 'node:crypto';
import { type AnchorStatement, type StatementLine, serializeStamped } from '../anchor-statement.ts';
import { TimeStampError } from './time-stamp-error.ts';

/** How long a server may be unavailable: a later time stamp confirms everything before it, but not when that was stated. */
const maxUnstampedMs = 86_400_000;
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

type UnstampedLine = { readonly line: number; atMs: number; isClosing: boolean };

/** Problems are those of time stamps and times; signatures are verified elsewhere. */
export async function verifyTimeStamps(
  lines: readonly StatementLine[],
  roots: readonly X509Certificate[],
  nowMs: number,
): Promise<StampedStatements> {
  const problems: string[] = [];
  const signers = new Set<string>();
  const unstamped: UnstampedLine[] = [];
  let [stampedCount, unstampedCount] = [0, 0];
  let lastAtMs: number | undefined;
  const settleUnstamped = (nextAtMs: number): void => {
    for (const { line, atMs, isClosing } of unstamped.splice(0))
      if (!isClosing && Math.abs(nextAtMs - atMs) > maxUnstampedMs)
        problems.push(`line ${line} has no time stamp, and none followed within ${maxUnstampedMs / 3_600_000} hours`);
  };
  for (const { line, statement } of lines) {
    if (!statement) continue;
    // A process that has ended publishes nothing: until the next line, the time of its last statement does not count.
    for (const closing of unstamped.filter(({ isClosing }) => isClosing))
      Object.assign(closing, { isClosing: false, atMs: statement.at_ms });
    if (statement.at_ms > nowMs + maxDifferenceMs)
      problems.push(`line ${line} is dated ${new Date(statement.at_ms).toISOString()}, which is in the future`);
    if (statement.time_stamp === undefined) {
      unstampedCount += 1;
      unstamped.push({ line, atMs: statement.at_ms, isClosing: statement.is_closing === true });
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
