/** Rows of approvals: who calls what, and the call itself, sealed while it may still be sent. */
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { tryParseJson } from '../../json/json-object.ts';
import { type SealingKey, seal, unseal } from '../../secrets/sealing.ts';
import type { ApprovalRow } from '../../store/control/hubs/approvals.ts';
import type { HubPrincipal } from '../access/principal.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const ApprovalSubject = Type.Object({
  hub: Type.Object({ id: Type.String(), slug: Type.String() }),
  person: Type.String(),
  role: Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer')]),
  via: Type.Union([Type.Literal('token'), Type.Literal('grant'), Type.Literal('console')]),
  via_id: nullableText,
  via_name: nullableText,
  client: nullableText,
  client_version: nullableText,
  connection_id: Type.String(),
  pin: Type.String(),
});
export type ApprovalSubject = typeof ApprovalSubject.static;

const subjectCheck = TypeCompiler.Compile(ApprovalSubject);

export function toSubject(
  { hub, person, role, via, client }: HubPrincipal,
  connectionId: string,
  pin: string,
): ApprovalSubject {
  const [id, name] =
    via.kind === 'token'
      ? [via.tokenId, via.tokenName]
      : via.kind === 'grant'
        ? [via.clientId, via.clientName]
        : [null, null];
  return {
    hub: { id: hub.id, slug: hub.slug },
    person: person.name,
    role,
    via: via.kind,
    via_id: id,
    via_name: name,
    client: client?.name ?? null,
    client_version: client?.version ?? null,
    connection_id: connectionId,
    pin,
  };
}

export function parseSubject({ id, subject }: ApprovalRow): ApprovalSubject {
  const value = tryParseJson(subject);
  if (subjectCheck.Check(value)) return value;
  throw vpError('INTERNAL', {}, { detail: `the subject of approval ${id} does not match its schema` });
}

/** The caller as it was when it called, for the audit. */
export function toCallerPrincipal(row: ApprovalRow): HubPrincipal {
  const { hub, person, role, via, via_id: id, via_name: name, client, client_version: version } = parseSubject(row);
  return {
    hub,
    person: { personId: row.person_id, name: person },
    role,
    via:
      via === 'token'
        ? { kind: via, tokenId: id ?? '', tokenName: name ?? '' }
        : via === 'grant'
          ? { kind: via, clientId: id ?? '', clientName: name ?? '', scopes: [] }
          : { kind: via },
    client: client === null ? undefined : { name: client, version: version ?? '' },
  };
}

const getSealContext = (id: string): string => `hub_approvals/${id}/sealed_call`;

export function sealCall(key: SealingKey, id: string, callText: string, random: Random): Uint8Array {
  return seal(key, getSealContext(id), Buffer.from(callText), random);
}

/** Undefined once the call is erased, and if the store has another key. */
export function unsealCall(key: SealingKey, { id, sealed_call: sealed }: ApprovalRow): string | undefined {
  const bytes = sealed && unseal(key, getSealContext(id), sealed);
  return bytes ? Buffer.from(bytes).toString() : undefined;
}
