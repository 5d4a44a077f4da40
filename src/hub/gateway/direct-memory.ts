/**
 * The memory service at its own address, `/memory/mcp`: under the policy, the limits and the audit of the hub, as its connection
 * of the kind `memory` is. Rules name its tools by that connection, and as `memory__<tool>` in a hub that has none.
 */
import { CLIENT_INFO_META_KEY, type Implementation, isSpecType, type Tool } from '@modelcontextprotocol/server';
import type { HubPrincipal } from '../access/principal.ts';
import {
  builtInMemoryName,
  type ConnectionRepository,
  type MemoryPort,
  type UpstreamConnection,
} from '../connections/connection.ts';
import type { CallPolicy } from '../policy/call-policy.ts';
import { MemoryUpstream } from '../upstream/memory-upstream.ts';
import { type CallContext, type IncomingRequest, truncateClientInfo } from './call-context.ts';
import { HubCallService } from './call-service.ts';
import type { ResolvedTool } from './catalogue.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { KnownElicitations } from './known-elicitations.ts';
import { PendingCalls } from './pending-calls.ts';
import { reportInternalError } from './protocol-error.ts';
import { auditUnhandledCalls } from './refusal-audit.ts';

export type DirectMemoryOptions = Pick<GatewayOptions, 'audit' | 'approvals' | 'clock' | 'random' | 'version'> & {
  readonly policy: Required<Pick<CallPolicy, 'decideDirectMemory' | 'filterDirectMemory'>>;
  readonly connectionRepository: Pick<ConnectionRepository, 'findMemory' | 'recordState' | 'secrets'>;
  readonly memory: MemoryPort;
  readonly onError: (error: unknown) => void;
};

export type DirectMemoryCall = {
  readonly id: string | number;
  readonly name: string;
  readonly arguments: Record<string, unknown> | undefined;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
};

/** A caller of the memory service, for one request. */
export type DirectMemoryCaller = {
  readonly personId: string;
  listTools(): Promise<readonly Tool[]>;
  /** Throws a ProtocolError. */
  callTool(call: DirectMemoryCall): Promise<Record<string, unknown>>;
};

export type DirectMemoryRequest = Omit<IncomingRequest, 'handledIds'> & { readonly body: unknown };

function createBuiltInConnection(hubId: string): UpstreamConnection {
  return {
    id: builtInMemoryName,
    hubId,
    name: builtInMemoryName,
    kind: 'memory',
    url: undefined,
    command: undefined,
    credential: { kind: 'none' },
    protocol: 'auto',
    enabled: true,
    state: 'connected',
    lastError: undefined,
    revision: 1,
  };
}

export class DirectMemory {
  readonly #options: DirectMemoryOptions;
  readonly #pendingCalls: PendingCalls;
  readonly #calls: HubCallService;

  constructor(options: DirectMemoryOptions) {
    const { audit, approvals, clock, random, policy, connectionRepository, memory } = options;
    this.#options = options;
    this.#pendingCalls = new PendingCalls(clock, random);
    this.#calls = new HubCallService({
      ...{
        audit,
        approvals,
        clock,
        pendingCalls: this.#pendingCalls,
        // The memory service asks nobody to open a form.
        knownElicitations: new KnownElicitations(),
        upstream: { secrets: connectionRepository.secrets },
      },
      policy: {
        decide: (call) =>
          policy.decideDirectMemory(
            call,
            memory.listTools().find(({ name }) => name === call.tool),
          ),
      },
      catalogue: {
        findTool: (principal, name) => this.#findTool(principal, name),
        findPrompt: async () => undefined,
        findResource: async () => undefined,
      },
    });
  }

  /** Calls that `handle` does not pass to the caller are recorded as refused. Rejects with AUDIT_UNAVAILABLE. */
  async respond(
    { body, ...request }: DirectMemoryRequest,
    handle: (caller: DirectMemoryCaller) => Promise<Response>,
  ): Promise<Response> {
    const incoming: IncomingRequest = { ...request, handledIds: new Set() };
    const response = await handle(this.#createCaller(incoming));
    await auditUnhandledCalls(this.#options, incoming, body, response);
    return response;
  }

  close(): void {
    this.#pendingCalls.close();
  }

  #createCaller(incoming: IncomingRequest): DirectMemoryCaller {
    const { memory, policy, onError } = this.#options;
    const { principal, handledIds } = incoming;
    return {
      personId: principal.person.personId,
      listTools: async () => {
        const tools = memory.listTools();
        const visible = await policy.filterDirectMemory(principal, await this.#getConnection(principal), tools);
        return tools.filter(({ name }) => visible.has(name)).map(toTool);
      },
      callTool: ({ id, name, arguments: args, meta, signal }) => {
        handledIds.add(id);
        const { [CLIENT_INFO_META_KEY]: client, ...rest } = meta;
        const context: CallContext = {
          ...incoming,
          principal: isSpecType.Implementation(client) ? withClient(principal, client) : principal,
          meta: withoutProtocolMembers(rest),
          signal,
          era: 'older',
          capabilities: {},
          progressToken: undefined,
          logLevel: undefined,
          inputResponses: undefined,
          requestState: undefined,
          notify: () => {},
        };
        return this.#calls.callTool(context, { name, arguments: args }).catch((error: unknown) => {
          reportInternalError(error, onError);
          throw error;
        });
      },
    };
  }

  async #getConnection({ hub }: HubPrincipal): Promise<UpstreamConnection> {
    return (await this.#options.connectionRepository.findMemory(hub.id)) ?? createBuiltInConnection(hub.id);
  }

  async #findTool(principal: HubPrincipal, name: string): Promise<ResolvedTool | undefined> {
    const { memory, clock, version, connectionRepository, onError } = this.#options;
    const definition = memory.listTools().find((tool) => tool.name === name);
    if (!definition) return undefined;
    const connection = await this.#getConnection(principal);
    const recordState: ConstructorParameters<typeof MemoryUpstream>[1]['recordState'] = (...state) =>
      void connectionRepository.recordState(...state).catch(onError);
    const upstream = new MemoryUpstream(connection, { memory, clock, version, recordState });
    return { connection, upstream, original: toTool(definition), siblings: new Map() };
  }
}

function toTool(definition: ReturnType<MemoryPort['listTools']>[number]): Tool {
  return { ...definition, inputSchema: { ...definition.inputSchema } };
}

function withClient(principal: HubPrincipal, client: Implementation): HubPrincipal {
  return { ...principal, client: truncateClientInfo(client) };
}

/** What a client says about the protocol is not part of the call. */
function withoutProtocolMembers(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(meta).filter(
    ([name]) => name !== 'progressToken' && !name.startsWith('io.modelcontextprotocol/'),
  );
  return Object.fromEntries(members);
}
