/**
 * Tokens of agents: each good for one role on one instance, for the person who made it. A token holds only while that
 * person may change the instance, so that it never outlives what it was made from.
 */
import type { AgentToken, AgentTokenCreated, AgentTokenNew } from '../contract/agent-api.ts';
import { agentClaimOf, agentTokenOf } from '../contract/agent-token.ts';
import { vpError } from '../errors/vp-error.ts';
import {
  type AgentTokenRow,
  agentTokenOfInstance,
  agentTokensOfInstance,
  deleteAgentToken,
  findAgentToken,
  insertAgentToken,
  replaceAgentToken,
  touchAgentToken,
} from '../store/control/agent-tokens.ts';
import { findInstance } from '../store/control/instances.ts';
import type { Sql } from '../store/sql.ts';
import { authorization } from './authorization.ts';
import type { AgentCaller, HumanCaller } from './caller.ts';
import { hashOf, type IdentityContext, newSecret } from './context.ts';
import { momentOf, momentOrNull } from './person.ts';

/** Tokens of instances; that the caller may change the instance has been seen before. */
export type AgentTokens = {
  /** `token` is told this once. Throws INSTANCE_UNKNOWN. */
  make(caller: HumanCaller, instance: string, input: AgentTokenNew): Promise<AgentTokenCreated>;
  list(instance: string): Promise<AgentToken[]>;
  /** A new secret under the same id; the old one ends at once. Throws AGENT_TOKEN_UNKNOWN. */
  rotate(caller: HumanCaller, instance: string, id: string): Promise<AgentTokenCreated>;
  /** Throws AGENT_TOKEN_UNKNOWN. */
  end(caller: HumanCaller, instance: string, id: string): Promise<void>;
  /** Whom a token stands for; undefined when it is unknown or does not hold. */
  use(token: string, address: string): Promise<AgentCaller | undefined>;
};

/** Who makes tokens on a control plane without accounts, in the words of `requested_by`. */
const ownerKeyName = 'owner';

function personIdOf(caller: HumanCaller): string | null {
  return caller.kind === 'person' ? caller.personId : null;
}

function wireToken(row: AgentTokenRow): AgentToken {
  return {
    agent_token_id: row.id,
    instance: row.instance_id,
    role: row.role,
    name: row.name,
    made_by: row.person_name ?? ownerKeyName,
    created_at: momentOf(row.created_at_ms),
    last_used_at: momentOrNull(row.last_used_at_ms),
  };
}

/** What the owner key made goes on without it, as the instances that it made do. */
function makerMayStill({ person_id: personId, person_role: role, instance_owner_id: ownerId }: AgentTokenRow): boolean {
  if (personId === null || role === null) return true;
  const row: Partial<Record<typeof role, 'all' | 'own'>> = authorization['instance.change'];
  return row[role] === 'all' || (row[role] === 'own' && ownerId === personId);
}

/** The row as it is now. Throws AGENT_TOKEN_UNKNOWN. */
function requireToken(sql: Sql, instance: string, id: string): AgentTokenRow {
  const row = agentTokenOfInstance(sql, instance, id);
  if (row) return row;
  throw vpError('AGENT_TOKEN_UNKNOWN', { instance });
}

/** See {@link AgentTokens}. */
export function agentTokensOf(context: IdentityContext): AgentTokens {
  const { database, tell } = context;
  return {
    make: (caller, instance, input) => make(context, caller, instance, input),
    list: async (instance) => (await database.read((sql) => agentTokensOfInstance(sql, instance))).map(wireToken),
    rotate: (caller, instance, id) => rotate(context, caller, instance, id),
    async end(caller, instance, id) {
      const done = await database.write((sql) => deleteAgentToken(sql, instance, id));
      if (!done) throw vpError('AGENT_TOKEN_UNKNOWN', { instance });
      tell({
        event: 'agent_token_ended',
        level: 'info',
        instance,
        agent_token: id,
        by: personIdOf(caller) ?? ownerKeyName,
      });
    },
    use: (token, address) => use(context, token, address),
  };
}

/** People type it, so it must not look like a flag. */
function typeableId({ random }: IdentityContext): string {
  return Buffer.from(random.bytes(8)).toString('hex');
}

async function make(
  context: IdentityContext,
  caller: HumanCaller,
  instance: string,
  { role, name }: AgentTokenNew,
): Promise<AgentTokenCreated> {
  const token = agentTokenOf({ instance, role }, newSecret(context));
  const personId = personIdOf(caller);
  const facts = { id: typeableId(context), instance_id: instance, role, name: name ?? null, person_id: personId };
  const nowMs = context.clock.nowMs();
  const row = await context.database.write((sql) => {
    if (!findInstance(sql, instance)) throw vpError('INSTANCE_UNKNOWN', { instance, known: '' });
    insertAgentToken(sql, { ...facts, hash: hashOf(context, token), nowMs });
    return requireToken(sql, instance, facts.id);
  });
  const by = personId ?? ownerKeyName;
  context.tell({ event: 'agent_token_made', level: 'info', instance, agent_token: row.id, role, by });
  return { agent_token: wireToken(row), token };
}

async function rotate(
  context: IdentityContext,
  caller: HumanCaller,
  instance: string,
  id: string,
): Promise<AgentTokenCreated> {
  const secret = newSecret(context);
  const personId = personIdOf(caller);
  const nowMs = context.clock.nowMs();
  const { row, token } = await context.database.write((sql) => {
    const { role } = requireToken(sql, instance, id);
    const token = agentTokenOf({ instance, role }, secret);
    replaceAgentToken(sql, id, { hash: hashOf(context, token), person_id: personId, nowMs });
    return { row: requireToken(sql, instance, id), token };
  });
  context.tell({
    event: 'agent_token_rotated',
    level: 'info',
    instance,
    agent_token: id,
    by: personId ?? ownerKeyName,
  });
  return { agent_token: wireToken(row), token };
}

async function use(context: IdentityContext, token: string, address: string): Promise<AgentCaller | undefined> {
  const { database, tell } = context;
  const claim = agentClaimOf(token);
  if (!claim) return undefined;
  const row = await database.read((sql) => findAgentToken(sql, hashOf(context, token)));
  if (!row || !makerMayStill(row)) {
    const about = { instance: row?.instance_id, agent_token: row?.id };
    tell({ event: 'agent_token_used_after_end', level: 'warn', ...about, address });
    return undefined;
  }
  await touch(context, row);
  const person = row.person_name ?? ownerKeyName;
  return { kind: 'agent', instance: row.instance_id, role: row.role, tokenId: row.id, person };
}

async function touch({ database, clock, settings }: IdentityContext, row: AgentTokenRow): Promise<void> {
  const nowMs = clock.nowMs();
  if (row.last_used_at_ms !== null && nowMs - row.last_used_at_ms < settings.touchMs) return;
  await database.write((sql) => touchAgentToken(sql, row.id, nowMs));
}
