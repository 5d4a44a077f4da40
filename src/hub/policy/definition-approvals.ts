/** The definitions of a hub's connections as its members see and its owners approve them. */
import type { ApproveHubToolRequest, HubTool, HubToolQuery } from '../../contract/hubs/policy-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import type { SecurityEvent } from '../../identity/context.ts';
import type { AuthorizeInHub } from '../access/permissions.ts';
import type { ConnectionRepository } from '../connections/connection.ts';
import { listDefinitions, type PinsByKind, toHubTool } from './definition-review.ts';
import { assertWaitingDigest } from './waiting-digest.ts';

export type DefinitionApprovalsDependencies = {
  readonly authorize: AuthorizeInHub;
  readonly connectionRepository: Pick<ConnectionRepository, 'listEnabled'>;
  readonly pinsByKind: PinsByKind;
  readonly logSecurityEvent: (event: SecurityEvent) => void;
};

export type WaitingTool = Pick<ApproveHubToolRequest, 'connection' | 'tool' | 'digest'>;

/** The errors of each method are those of the governance service. */
export class DefinitionApprovals {
  readonly #dependencies: DefinitionApprovalsDependencies;

  constructor(dependencies: DefinitionApprovalsDependencies) {
    this.#dependencies = dependencies;
  }

  async list(caller: PersonCaller, hub: string, query: HubToolQuery): Promise<HubTool[]> {
    const { authorize, connectionRepository, pinsByKind } = this.#dependencies;
    const { hubId } = await authorize(caller, hub, 'policy.see');
    return listDefinitions(connectionRepository, pinsByKind, hubId, query);
  }

  async approve(caller: PersonCaller, hub: string, input: ApproveHubToolRequest): Promise<HubTool> {
    const { authorize, pinsByKind, logSecurityEvent } = this.#dependencies;
    const { hubId } = await authorize(caller, hub, 'tool.approve');
    const { connection, kind = 'tool', tool, digest } = input;
    const existing = await this.#findConnection(hubId, connection);
    if (!existing) throw vpError('TOOL_PIN_UNKNOWN', { tool: tool.slice(0, 300), connection });
    const pin = await pinsByKind[kind].approve(existing, tool, digest, caller.name);
    const definition = { connection, kind, tool, digest };
    logSecurityEvent({ event: 'hub_tool_approved', level: 'info', hub: hubId, ...definition, by: caller.personId });
    return toHubTool(existing, pin, pinsByKind[kind]);
  }

  async assertWaiting(caller: PersonCaller, hub: string, { connection, tool, digest }: WaitingTool): Promise<void> {
    const { authorize, pinsByKind } = this.#dependencies;
    const { hubId } = await authorize(caller, hub, 'tool.approve');
    const existing = await this.#findConnection(hubId, connection);
    const pin = existing && (await pinsByKind.tool.get(existing.id)).get(tool);
    if (!pin) throw vpError('TOOL_PIN_UNKNOWN', { tool, connection });
    assertWaitingDigest(pin, digest);
  }

  async #findConnection(hubId: string, connection: string) {
    const connections = await this.#dependencies.connectionRepository.listEnabled(hubId);
    return connections.find(({ name }) => name === connection);
  }
}
