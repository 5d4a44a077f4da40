/** The memory service as a connection of a hub, in the same process: it is told who calls, by name and not by a token. */
import { ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import type { Connection, HubPrincipal, MemoryPort } from '../words.ts';
import { CachedList } from './cached-list.ts';
import type { UpstreamCall } from './call.ts';
import type { ConnectedServer } from './connected-server.ts';
import type { UpstreamParts } from './upstream.ts';
import type { UpstreamLists } from './upstream-lists.ts';

/** What it is made with. */
export type MemoryUpstreamParts = Pick<UpstreamParts, 'clock' | 'version' | 'noteState'> & {
  readonly memory: MemoryPort;
};

const everyDayMs = 24 * 3_600_000;

function nothing<T>(clock: Clock): CachedList<T> {
  const items: readonly T[] = [];
  return new CachedList<T>(clock, async () => ({ items, ttlMs: everyDayMs }));
}

function listsOf({ memory, clock }: MemoryUpstreamParts): UpstreamLists {
  // An array of its own: what is made of a list is kept beside the array, and two hubs name the same tools differently.
  const tools: readonly Tool[] = [...memory.listTools()];
  return {
    tools: new CachedList(clock, async () => ({ items: tools, ttlMs: everyDayMs })),
    prompts: nothing(clock),
    resources: nothing(clock),
    templates: nothing(clock),
    outdate: () => {},
  };
}

/** Memory as the hub of a connection meets it. Who calls stands in each call: nothing is kept between two. */
export class MemoryUpstream implements ConnectedServer {
  readonly connection: Connection;
  readonly lists: UpstreamLists;
  readonly #parts: MemoryUpstreamParts;
  lastUsedMs: number;
  #isNoted = false;

  constructor(connection: Connection, parts: MemoryUpstreamParts) {
    this.connection = connection;
    this.#parts = parts;
    this.lists = listsOf(parts);
    this.lastUsedMs = parts.clock.monotonicMs();
  }

  async send(method: string, params: Record<string, unknown>, call: UpstreamCall): Promise<Record<string, unknown>> {
    this.lastUsedMs = this.#parts.clock.monotonicMs();
    call.signal.throwIfAborted();
    const { name } = params;
    if (method !== 'tools/call' || typeof name !== 'string')
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'memory has tools only');
    const result = await this.#parts.memory.callTool(this.#whoCalls(call), name, params.arguments);
    if (!this.#isNoted) this.#parts.noteState(this.connection.id, 'connected', undefined);
    this.#isNoted = true;
    if (result) return { ...result };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${name.slice(0, 100)}`);
  }

  /** What one hub remembers must never be asked for by another one. */
  #whoCalls({ principal }: UpstreamCall): HubPrincipal {
    if (principal?.hub.id === this.connection.hubId) return principal;
    throw new TypeError('memory was called by nobody, or for another hub');
  }

  async about() {
    const server = { name: 'vp-memory', version: this.#parts.version };
    return { server, revision: undefined, instructions: undefined };
  }

  async capabilities() {
    return { tools: {} };
  }

  async watch(): Promise<() => Promise<void>> {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'memory has no resources');
  }

  async close(): Promise<void> {}
}
