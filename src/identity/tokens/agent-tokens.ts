/**
 * Agent tokens: each is valid for one role on one instance, on behalf of the person who created it. A token is valid only
 * while that person may change the instance.
 */
import type { AgentToken, CreateAgentTokenRequest, CreateAgentTokenResponse } from '../../contract/agents/agent-api.ts';
import { formatAgentToken, parseAgentToken } from '../../contract/agents/agent-token.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  type AgentTokenRow,
  deleteAgentToken,
  findAgentToken,
  findAgentTokenByHash,
  insertAgentToken,
  listAgentTokens,
  listAgentTokensByCreator,
  replaceAgentToken,
  touchAgentToken,
} from '../../store/control/instances/agent-tokens.ts';
import { findInstance } from '../../store/control/instances/instances.ts';
import type { Sql } from '../../store/sql.ts';
import { authorizationTable } from '../authorization.ts';
import type { AgentCaller, HumanCaller } from '../caller.ts';
import { createSecret, hashSecret, type IdentityContext } from '../context.ts';

/** The routes have checked that the caller may change the instance. */
export type AgentTokensService = {
  /** `token` is returned only this once. Throws INSTANCE_UNKNOWN. */
  create(caller: HumanCaller, instance: string, input: CreateAgentTokenRequest): Promise<CreateAgentTokenResponse>;
  list(instance: string): Promise<AgentToken[]>;
  /** Creates a new secret under the same id; the old one becomes invalid at once. Throws AGENT_TOKEN_UNKNOWN. */
  rotate(caller: HumanCaller, instance: string, id: string): Promise<CreateAgentTokenResponse>;
  /** Throws AGENT_TOKEN_UNKNOWN. */
  revoke(caller: HumanCaller, instance: string, id: string): Promise<void>;
  /** The caller behind a token; undefined when it is unknown or not valid. */
  authenticate(token: string, address: string): Promise<AgentCaller | undefined>;
  /** After the commit that changed the role of a person: ends what is open with tokens by which they may not change an instance any more. */
  endUnauthorized(personId: string): Promise<void>;
  /** After the commit that removed an instance with its tokens: ends what is open with them. */
  endInstance(instance: string): void;
  /** False when the token behind the caller has ended since, or its creator may not change the instance any more. */
  isValid(caller: AgentCaller): Promise<boolean>;
};

/** The creator of tokens on a control plane without accounts, spelled as in `requested_by`. */
const ownerKeyName = 'owner';

/** The id of a token for revocation events: of the one before as well when it is rotated. */
export function toAgentTokenCredentialId(tokenId: string): string {
  return `agent_token ${tokenId}`;
}

/** The id of all tokens of an instance for revocation events. */
export function toInstanceAgentsCredentialId(instance: string): string {
  return `agents of ${instance}`;
}

function getPersonId(caller: HumanCaller): string | null {
  return caller.kind === 'person' ? caller.personId : null;
}

function toAgentToken(row: AgentTokenRow): AgentToken {
  return {
    agent_token_id: row.id,
    instance: row.instance_id,
    role: row.role,
    name: row.name,
    made_by: row.person_name ?? ownerKeyName,
    created_at: formatTimestamp(row.created_at_ms),
    last_used_at: formatTimestampOrNull(row.last_used_at_ms),
  };
}

/** What the owner key created stays valid when the key is gone, like the instances that it created. */
function isCreatorAuthorized({
  person_id: personId,
  person_role: role,
  instance_owner_id: ownerId,
}: AgentTokenRow): boolean {
  if (personId === null || role === null) return true;
  const row: Partial<Record<typeof role, 'all' | 'own'>> = authorizationTable['instance.change'];
  return row[role] === 'all' || (row[role] === 'own' && ownerId === personId);
}

/** Throws AGENT_TOKEN_UNKNOWN. */
function requireToken(sql: Sql, instance: string, id: string): AgentTokenRow {
  const row = findAgentToken(sql, instance, id);
  if (row) return row;
  throw vpError('AGENT_TOKEN_UNKNOWN', { instance });
}

export function createAgentTokensService(context: IdentityContext): AgentTokensService {
  const { database, logSecurityEvent, revocationEvents } = context;
  return {
    create: (caller, instance, input) => createToken(context, caller, instance, input),
    list: async (instance) => (await database.read((sql) => listAgentTokens(sql, instance))).map(toAgentToken),
    rotate: (caller, instance, id) => rotateToken(context, caller, instance, id),
    async revoke(caller, instance, id) {
      const isDeleted = await database.write((sql) => deleteAgentToken(sql, instance, id));
      if (!isDeleted) throw vpError('AGENT_TOKEN_UNKNOWN', { instance });
      logSecurityEvent({
        event: 'agent_token_ended',
        level: 'info',
        instance,
        agent_token: id,
        by: getPersonId(caller) ?? ownerKeyName,
      });
      revocationEvents.emit(toAgentTokenCredentialId(id));
    },
    authenticate: (token, address) => authenticateToken(context, token, address),
    async endUnauthorized(personId) {
      const rows = await database.read((sql) => listAgentTokensByCreator(sql, personId));
      for (const row of rows) if (!isCreatorAuthorized(row)) revocationEvents.emit(toAgentTokenCredentialId(row.id));
    },
    endInstance: (instance) => revocationEvents.emit(toInstanceAgentsCredentialId(instance)),
    async isValid({ tokenHash }) {
      const row = await database.read((sql) => findAgentTokenByHash(sql, tokenHash));
      return row !== undefined && isCreatorAuthorized(row);
    },
  };
}

/** Hexadecimal, because people type the id and it must not look like a flag. */
function createTypeableId({ random }: IdentityContext): string {
  return Buffer.from(random.bytes(8)).toString('hex');
}

async function createToken(
  context: IdentityContext,
  caller: HumanCaller,
  instance: string,
  { role, name }: CreateAgentTokenRequest,
): Promise<CreateAgentTokenResponse> {
  const token = formatAgentToken({ instance, role }, createSecret(context));
  const personId = getPersonId(caller);
  const fields = {
    id: createTypeableId(context),
    instance_id: instance,
    role,
    name: name ?? null,
    person_id: personId,
  };
  const nowMs = context.clock.nowMs();
  const row = await context.database.write((sql) => {
    if (!findInstance(sql, instance)) throw vpError('INSTANCE_UNKNOWN', { instance, known: '' });
    insertAgentToken(sql, { ...fields, hash: hashSecret(context, token), nowMs });
    return requireToken(sql, instance, fields.id);
  });
  const actor = personId ?? ownerKeyName;
  context.logSecurityEvent({
    event: 'agent_token_made',
    level: 'info',
    instance,
    agent_token: row.id,
    role,
    by: actor,
  });
  return { agent_token: toAgentToken(row), token };
}

async function rotateToken(
  context: IdentityContext,
  caller: HumanCaller,
  instance: string,
  id: string,
): Promise<CreateAgentTokenResponse> {
  const secret = createSecret(context);
  const personId = getPersonId(caller);
  const nowMs = context.clock.nowMs();
  const { row, token } = await context.database.write((sql) => {
    const { role } = requireToken(sql, instance, id);
    const token = formatAgentToken({ instance, role }, secret);
    replaceAgentToken(sql, id, { hash: hashSecret(context, token), person_id: personId, nowMs });
    return { row: requireToken(sql, instance, id), token };
  });
  context.logSecurityEvent({
    event: 'agent_token_rotated',
    level: 'info',
    instance,
    agent_token: id,
    by: personId ?? ownerKeyName,
  });
  context.revocationEvents.emit(toAgentTokenCredentialId(id));
  return { agent_token: toAgentToken(row), token };
}

async function authenticateToken(
  context: IdentityContext,
  token: string,
  address: string,
): Promise<AgentCaller | undefined> {
  const { database, logSecurityEvent } = context;
  const claims = parseAgentToken(token);
  if (!claims) return undefined;
  const tokenHash = hashSecret(context, token);
  const row = await database.read((sql) => findAgentTokenByHash(sql, tokenHash));
  if (!row || !isCreatorAuthorized(row)) {
    const eventFields = { instance: row?.instance_id, agent_token: row?.id };
    logSecurityEvent({ event: 'agent_token_used_after_end', level: 'warn', ...eventFields, address });
    return undefined;
  }
  await recordUse(context, row);
  const person = row.person_name ?? ownerKeyName;
  const { id: tokenId, instance_id: instance, person_id: personId, role } = row;
  return { kind: 'agent', instance, role, tokenId, tokenHash, personId, person };
}

async function recordUse({ database, clock, settings }: IdentityContext, row: AgentTokenRow): Promise<void> {
  const nowMs = clock.nowMs();
  if (row.last_used_at_ms !== null && nowMs - row.last_used_at_ms < settings.touchMs) return;
  await database.write((sql) => touchAgentToken(sql, row.id, nowMs));
}
