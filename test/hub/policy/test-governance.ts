/** The policies and pins of a hub on a real store: Ana owns the hub `acme`, Max is a member, Eve is not. */
import type { Test } from 'tap';
import type { OpenControl } from '../../../src/control/open-control.ts';
import type { HubPrincipal } from '../../../src/hub/access/principal.ts';
import type { AuditSettings } from '../../../src/hub/audit/audit-settings.ts';
import type { UpstreamTool } from '../../../src/hub/connections/connection.ts';
import type { Decision, PolicyCall } from '../../../src/hub/policy/call-policy.ts';
import { createGovernanceService, type GovernanceService } from '../../../src/hub/policy/governance-service.ts';
import type { PersonCaller } from '../../../src/identity/caller.ts';
import { openTestControl } from '../../control/control-fixture.ts';
import { openTestAudit } from '../audit/test-audit.ts';
import { createTestConnection } from '../fixtures/test-connection.ts';

export const [tickets, wiki] = [createTestConnection('tickets'), createTestConnection('wiki')];

export const ana: PersonCaller = {
  kind: 'person',
  personId: 'ana',
  name: 'Ana',
  role: 'member',
  via: 'session',
  sessionId: 's',
};
export const max: PersonCaller = { ...ana, personId: 'max', name: 'Max' };
export const eve: PersonCaller = { ...ana, personId: 'eve', name: 'Eve' };

export function createPrincipal(person: PersonCaller, role: HubPrincipal['role'] = 'member'): HubPrincipal {
  return {
    hub: { id: 'hub', slug: 'acme' },
    person: { personId: person.personId, name: person.name },
    role,
    via: { kind: 'token', tokenId: `t-${person.personId}`, tokenName: 'ci' },
    client: undefined,
  };
}

async function insertPeople({ database }: OpenControl): Promise<void> {
  await database.write((sql) => {
    const person = `INSERT INTO people (id, name, email, email_key, role, password, created_at_ms) VALUES (?, ?, ?, ?, 'member', '', 0)`;
    for (const id of ['ana', 'max', 'eve']) sql.run(person, id, id, `${id}@example.org`, `${id}@example.org`);
    sql.run(`INSERT INTO hubs (id, slug, name, created_at_ms, created_by) VALUES ('hub', 'acme', 'Acme', 0, 'ana')`);
    const member = `INSERT INTO hub_members VALUES (?, 'hub', ?, 0)`;
    sql.run(member, 'ana', 'owner');
    sql.run(member, 'max', 'member');
    const connections = `INSERT INTO hub_connections (id, hub_id, name, kind, url, credential, created_at_ms, created_by)
       VALUES (?, 'hub', ?, 'http', 'https://tools.example', 'none', 0, 'ana')`;
    for (const { id, name } of [tickets, wiki]) sql.run(connections, id, name);
  });
}

export async function startGovernance(t: Test, auditSettings: Partial<AuditSettings> = {}) {
  const { control, clock } = await openTestControl(t);
  await insertPeople(control);
  const { audit } = await openTestAudit(t, auditSettings, { folder: t.testdir({}), clock });
  const connectionRepository = { listEnabled: async () => [tickets, wiki] };
  const dependencies = {
    database: control.database,
    audit,
    connectionRepository,
    clock,
    logSecurityEvent: () => undefined,
    onError: (error: unknown) => t.fail('background work failed', { error }),
  };
  const createGovernance = (): GovernanceService => createGovernanceService(dependencies);
  return { governance: createGovernance(), createGovernance, audit, clock, database: control.database };
}

export const create: UpstreamTool = {
  name: 'create',
  description: 'Makes a ticket.\nReturns its number.',
  inputSchema: { type: 'object', properties: { title: { type: 'string' } } },
};
export const read: UpstreamTool = { name: 'read', description: 'Reads.', annotations: { readOnlyHint: true } };

export function decide({ policy }: GovernanceService, overrides: Partial<PolicyCall> = {}): Promise<Decision> {
  return policy.decide({
    principal: createPrincipal(max),
    connection: tickets,
    tool: 'create',
    arguments: {},
    ...overrides,
  });
}

export async function listVisible(
  { policy }: GovernanceService,
  tools: readonly UpstreamTool[],
  target = tickets,
): Promise<string[]> {
  return [...(await policy.filterVisibleTools(createPrincipal(max), target, tools))];
}
