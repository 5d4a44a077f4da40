import type { AuditEntry } from '../words.ts';

/** The row that says of a hub what was not written while rows could not be; `entry` is the first such call. */
export function gapEntry(
  { entry, lost, refused }: { readonly entry: AuditEntry; readonly lost: number; readonly refused: number },
  nowMs: number,
): AuditEntry {
  const { hub } = entry.principal;
  const since = new Date(entry.atMs).toISOString();
  return {
    atMs: nowMs,
    principal: {
      hub,
      person: { personId: '', name: 'vp' },
      role: 'owner',
      via: { kind: 'console' },
      client: undefined,
    },
    method: 'audit/gap',
    connection: undefined,
    tool: undefined,
    arguments: undefined,
    redact: { keep: false, hide: [] },
    outcome: 'failed',
    reason: `the audit could not be written since ${since}: ${refused} calls were refused, ${lost} went out without a row`,
    durationMs: Math.max(0, nowMs - entry.atMs),
    requestBytes: 0,
    answerBytes: 0,
  };
}
