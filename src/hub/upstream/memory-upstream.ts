/** The memory service as a connection of a hub in the same process: it gets the principal instead of a token. */
import { ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { MemoryPort, UpstreamConnection } from '../connections/connection.ts';
import { CachedList } from './lists/cached-list.ts';
import type { UpstreamLists } from './lists/upstream-lists.ts';
import type { UpstreamDependencies } from './remote-upstream.ts';
import type { UpstreamCallOptions } from './upstream-call.ts';
import type { UpstreamServer } from './upstream-server.ts';

export type MemoryUpstreamDependencies = Pick<UpstreamDependencies, 'clock' | 'version' | 'recordState'> & {
  readonly memory: MemoryPort;
};

const oneDayMs = 24 * 3_600_000;

function createEmptyList<T>(clock: Clock): CachedList<T> {
  const items: readonly T[] = [];
  return new CachedList<T>(clock, async () => ({ items, ttlMs: oneDayMs }));
}

function createMemoryLists({ memory, clock }: MemoryUpstreamDependencies): UpstreamLists {
  // A copy of the array: public names are cached by the array, and two hubs name the same tools differently.
  const tools: readonly Tool[] = [...memory.listTools()];
  return {
    tools: new CachedList(clock, async () => ({ items: tools, ttlMs: oneDayMs })),
    prompts: createEmptyList(clock),
    resources: createEmptyList(clock),
    templates: createEmptyList(clock),
    invalidate: () => {},
  };
}

/** Keeps nothing between calls. */
export class MemoryUpstream implements UpstreamServer {
  readonly connection: UpstreamConnection;
  readonly lists: UpstreamLists;
  readonly #dependencies: MemoryUpstreamDependencies;
  lastUsedMs: number;
  #isStateRecorded = false;

  constructor(connection: UpstreamConnection, dependencies: MemoryUpstreamDependencies) {
    this.connection = connection;
    this.#dependencies = dependencies;
    this.lists = createMemoryLists(dependencies);
    this.lastUsedMs = dependencies.clock.monotonicMs();
  }

  async send(
    method: string,
    params: Record<string, unknown>,
    call: UpstreamCallOptions,
  ): Promise<Record<string, unknown>> {
    this.lastUsedMs = this.#dependencies.clock.monotonicMs();
    call.signal.throwIfAborted();
    const { name } = params;
    if (method !== 'tools/call' || typeof name !== 'string')
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'the memory service has only tools');
    const result = await this.#dependencies.memory.callTool(this.#requirePrincipal(call), name, params.arguments);
    if (!this.#isStateRecorded) this.#dependencies.recordState(this.connection.id, 'connected', undefined);
    this.#isStateRecorded = true;
    if (result) return { ...result };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool ${name.slice(0, 100)}`);
  }

  /** A hub must never read the memory of another hub. */
  #requirePrincipal({ principal }: UpstreamCallOptions): HubPrincipal {
    if (principal?.hub.id === this.connection.hubId) return principal;
    throw new TypeError('memory was called without a principal, or for another hub');
  }

  async getInfo() {
    const server = { name: 'vp-memory', version: this.#dependencies.version };
    return { server, protocolVersion: undefined, instructions: undefined };
  }

  async capabilities() {
    return { tools: {} };
  }

  async watch(): Promise<() => Promise<void>> {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'the memory service has no resources');
  }

  invalidateList(): void {}

  async close(): Promise<void> {}
}
