/** What a person gave to programs: to see it, and to end it. */
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { AskingClient } from '../../contract/consent-api.ts';
import type { Grant } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { membershipsOf } from '../../store/control/hub-members.ts';
import {
  deleteGrantOfPerson,
  type GrantRow,
  grantsOfPerson,
  lastUseOfGrant,
  touchGrant,
} from '../../store/control/identity-grants.ts';
import { type GrantFactsRow, grantFacts } from '../../store/control/identity-hub-grants.ts';
import type { SessionCaller } from '../caller.ts';
import type { IdentityContext } from '../context.ts';
import { momentOf, momentOrNull } from '../person.ts';
import { grantHolder } from './adapter.ts';
import { askingClient, cliClientId, cliClientName } from './asking-client.ts';
import { leaveWords, serviceOf } from './leave-words.ts';
import { openPayload, type Payload } from './records.ts';
import { resourceOf } from './resources.ts';

/** The caller's grants, newest first. */
export async function listGrants(
  context: IdentityContext,
  { issuer }: { issuer: string },
  { personId }: SessionCaller,
): Promise<Grant[]> {
  const nowMs = context.clock.nowMs();
  const kept = await context.database.read((sql) => {
    const own = membershipsOf(sql, personId).map(({ hub_id: id }) => id);
    return grantsOfPerson(sql, personId, nowMs).map((row) => ({ row, own, facts: grantFacts(sql, row.grant_hash) }));
  });
  const grants = kept.flatMap(({ row, own, facts }) => {
    const payload = openPayload(context, row);
    return payload ? [wireGrant(issuer, { row, facts, own, payload })] : [];
  });
  return grants.sort((a, b) => b.created_at.localeCompare(a.created_at));
}

type Kept = {
  readonly row: GrantRow;
  readonly facts: GrantFactsRow | undefined;
  /** Ids of the hubs that the person belongs to. */
  readonly own: readonly string[];
  readonly payload: Payload;
};

function wireGrant(issuer: string, { row, facts, own, payload }: Kept): Grant {
  const client = clientOf(facts?.client_json, textOf(payload.clientId));
  const asked = isRecord(payload.resources) ? Object.entries(payload.resources) : [];
  const scopes = [...new Set(asked.flatMap(([, text]) => textOf(text).split(' ')).filter(Boolean))];
  const hub = facts?.slug && facts.hub_name ? { slug: facts.slug, name: facts.hub_name } : null;
  const member = hub === null || own.includes(facts?.hub_id ?? '');
  const iat = typeof payload.iat === 'number' ? payload.iat : 0;
  return {
    grant_id: row.grant_hash,
    client_name: client.name,
    client,
    service: serviceOf(resourceOf(issuer, asked[0]?.[0] ?? '') ?? { kind: 'none' }),
    // What the hub calls itself is told to its members.
    hub: hub && !member ? { slug: hub.slug, name: hub.slug } : hub,
    member,
    may: leaveWords(scopes),
    scopes,
    created_at: momentOf(iat * 1000),
    expires_at: momentOrNull(row.expires_at_ms),
    last_used_at: momentOrNull(row.last_used_at_ms),
    last_address: row.last_address,
  };
}

const isClient = TypeCompiler.Compile(AskingClient);

/** The program as it was when it was let in; what it calls itself later changes nothing about this grant. */
function clientOf(json: string | null | undefined, id: string): AskingClient {
  const kept: unknown = typeof json === 'string' ? JSON.parse(json) : undefined;
  if (isClient.Check(kept)) return kept;
  const name = id === cliClientId ? cliClientName : id;
  return { ...askingClient(id, undefined, undefined), name };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Ends a grant with its refresh and access tokens at once. Throws GRANT_UNKNOWN. */
export async function endGrant(context: IdentityContext, { personId }: SessionCaller, grantId: string): Promise<void> {
  const ended = await context.database.write((sql) => deleteGrantOfPerson(sql, grantId, personId));
  if (!ended) throw vpError('GRANT_UNKNOWN', {});
  context.tell({ event: 'oauth_grant_ended', level: 'info', person: personId });
  context.ends.fire(grantHolder(grantId));
}

/** Whether a use is to be noted: they are stored at most so often. */
export function isUseDue(
  { clock, settings }: Pick<IdentityContext, 'clock' | 'settings'>,
  lastUsedAtMs: number | null,
): boolean {
  return lastUsedAtMs === null || clock.nowMs() - lastUsedAtMs >= settings.touchMs;
}

/** Notes that a program acted on a grant; most uses write nothing. */
export async function noteGrantUse(
  { database, clock, settings }: IdentityContext,
  grantHash: string,
  address: string,
): Promise<void> {
  const nowMs = clock.nowMs();
  const lastMs = await database.read((sql) => lastUseOfGrant(sql, grantHash));
  if (lastMs === undefined || !isUseDue({ clock, settings }, lastMs)) return;
  await database.write((sql) => touchGrant(sql, grantHash, { address, nowMs, everyMs: settings.touchMs }));
}
