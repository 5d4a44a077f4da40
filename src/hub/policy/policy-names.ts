/** Refuses names in a policy that stand for nothing, unless the caller confirms them. */
import type { HubPolicyDocument, UpdateHubPolicyRequest } from '../../contract/hubs/policy-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { listMembers } from '../../store/control/hubs/members.ts';
import { listHubTokensByHub } from '../../store/control/hubs/tokens.ts';
import type { Database } from '../../store/database.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { builtInMemoryName, type ConnectionRepository, type UpstreamTool } from '../connections/connection.ts';
import type { DefinitionPins } from './definition-pins.ts';
import { findUnknownCallers, type KnownCallers } from './unknown-callers.ts';
import { findUnknownTools, formatUnknownTool, type ListedConnection } from './unknown-tools.ts';

export type PolicyNameDependencies = {
  readonly database: Pick<Database, 'read'>;
  readonly audit: Pick<AuditLog, 'search'>;
  readonly connectionRepository: Pick<ConnectionRepository, 'listEnabled'>;
  readonly pins: DefinitionPins;
  readonly promptPins: DefinitionPins;
  readonly memoryTools: readonly UpstreamTool[];
};

const maxListed = 10;
/** Clients are known by their newest calls. */
const searchedCalls = 500;

/** `current` is the policy in force, whose names were confirmed before. Throws POLICY_TOOL_UNKNOWN, POLICY_CALLER_UNKNOWN. */
export async function assertKnownNames(
  dependencies: PolicyNameDependencies,
  hubId: string,
  current: HubPolicyDocument,
  {
    document,
    accept_unknown_tools: acceptsTools,
    accept_unknown_callers: acceptsCallers,
  }: Omit<UpdateHubPolicyRequest, 'if_revision'>,
): Promise<void> {
  if (!acceptsTools) {
    const connections = await listListedConnections(dependencies, hubId);
    const unknown = findUnknownTools(document, current, connections).slice(0, maxListed);
    const tools = unknown.map((pattern) => formatUnknownTool(pattern, connections)).join(', ');
    if (unknown.length > 0) throw vpError('POLICY_TOOL_UNKNOWN', { tools });
  }
  if (acceptsCallers || !(document.callers?.length || document.approvals?.length)) return;
  const unknown = findUnknownCallers(document, current, await listKnownCallers(dependencies, hubId));
  if (unknown.length > 0) throw vpError('POLICY_CALLER_UNKNOWN', { callers: unknown.slice(0, maxListed).join(', ') });
}

async function listListedConnections(
  { connectionRepository, pins, promptPins, memoryTools }: PolicyNameDependencies,
  hubId: string,
): Promise<ListedConnection[]> {
  const connections = await connectionRepository.listEnabled(hubId);
  const builtIn = { name: builtInMemoryName, tools: memoryTools.map(({ name }) => name), prompts: [] };
  const listed = await Promise.all(
    connections.map(async ({ id, name, kind }) => ({
      name,
      tools: kind === 'memory' ? builtIn.tools : [...(await pins.get(id)).keys()],
      prompts: [...(await promptPins.get(id)).keys()],
    })),
  );
  const hasMemory = connections.some(({ kind, name }) => kind === 'memory' || name === builtInMemoryName);
  return hasMemory || memoryTools.length === 0 ? listed : [...listed, builtIn];
}

async function listKnownCallers({ database, audit }: PolicyNameDependencies, hubId: string): Promise<KnownCallers> {
  const [members, tokens] = await database.read((sql) => [listMembers(sql, hubId), listHubTokensByHub(sql, hubId)]);
  const { items } = await audit.search(hubId, { limit: searchedCalls });
  const clients = items.flatMap(({ via, via_id: id, via_name: name, client }) =>
    via === 'grant' ? [id, name, client] : [client],
  );
  return {
    people: members.flatMap(({ person_id: id, name }) => [name, id]),
    approvers: members.flatMap(({ person_id: id, email }) => [email, id]),
    tokens: tokens.flatMap(({ id, name }) => [name, id]),
    clients: [...new Set(clients)].filter((name) => name !== null),
  };
}
