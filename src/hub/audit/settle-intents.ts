/**
 * Calls that were started and have no outcome when the audit is opened: the process ended before it was recorded. Each gets
 * a row `unknown`, once: the row and the end of the open intent are in one transaction.
 */

import type { AttestedCall } from '../../contract/hubs/audit-api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import type { AuditDatabase } from '../../store/audit/audit-database.ts';
import { deleteInvalidIntents, deleteOpenIntent, listOpenIntents } from '../../store/audit/open-intents.ts';
import type { HubAuthentication } from '../access/principal.ts';
import { digestOnly } from '../policy/call-policy.ts';
import { appendCalls, type ChainKeys, prepareCall } from './append-calls.ts';
import { parseAttested } from './attested-call.ts';
import type { AuditEntry } from './audit-entry.ts';

type SettleDependencies = {
  readonly database: Pick<AuditDatabase, 'read' | 'writeDurably'>;
  readonly keys: ChainKeys;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
};

const settledPerCommit = 500;

/** Returns the number of calls whose outcome is unknown. */
export async function settleOpenIntents({ database, keys, clock, random }: SettleDependencies): Promise<number> {
  await database.writeDurably(deleteInvalidIntents);
  let settled = 0;
  for (;;) {
    const intents = await database.read((sql) => listOpenIntents(sql, settledPerCommit));
    // A row that cannot be read is found by the verification of the chain.
    const calls = intents.map((intent) => ({ ...intent, call: parseAttested(intent.body) }));
    const rows = calls.flatMap(({ call }) =>
      call?.outcome === 'started' ? [prepareCall(toUnknownEntry(call, clock.nowMs()), keys, random)] : [],
    );
    const unreadable = calls.filter(({ call }) => call?.outcome !== 'started');
    await database.writeDurably((sql) => {
      for (const { hub, seq } of unreadable) deleteOpenIntent(sql, hub, seq);
      appendCalls(sql, rows, keys);
    });
    if (rows.length === 0) return settled;
    settled += rows.length;
  }
}

/** It has the time of the call, so that both rows are found, and expire, together. */
function toUnknownEntry(call: AttestedCall, nowMs: number): AuditEntry {
  const { hub_id, hub, person_id, person, role, client, client_version, connection_id, connection } = call;
  const seenAt = new Date(nowMs).toISOString();
  return {
    atMs: Date.parse(call.at),
    principal: {
      hub: { id: hub_id, slug: hub },
      person: { personId: person_id, name: person },
      role,
      via: toVia(call),
      client: client === null ? undefined : { name: client, version: client_version ?? '' },
    },
    method: call.method,
    connection: connection_id === null || connection === null ? undefined : { id: connection_id, name: connection },
    tool: call.tool ?? undefined,
    arguments: undefined,
    redact: digestOnly,
    outcome: 'unknown',
    reason: `it may have been sent: the control plane ended before the outcome was recorded, which was noticed at ${seenAt}`,
    durationMs: 0,
    requestBytes: call.request_bytes,
    responseBytes: 0,
    requestId: call.request_id ?? undefined,
    intentSeq: call.seq,
  };
}

function toVia({ via, via_id: id, via_name: name }: AttestedCall): HubAuthentication {
  if (via === 'token') return { kind: 'token', tokenId: id ?? '', tokenName: name ?? '' };
  if (via === 'grant') return { kind: 'grant', clientId: id ?? '', clientName: name ?? '', scopes: [] };
  return { kind: 'console' };
}
