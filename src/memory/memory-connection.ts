/**
 * The memory service as a connection of a hub in the same process: the hub passes the principal and no token, so that
 * memory is governed and audited like every other connection.
 */
import type { Tool } from '@modelcontextprotocol/server';
import type { MemoryService } from './memory-service.ts';
import { callMemoryTool, type MemoryResult, type MemoryToolDefinition, memoryTools } from './tools.ts';
import type { MemoryPrincipal } from './types.ts';

export type MemoryConnection = {
  /** Always the same array object. */
  listTools(): readonly MemoryToolDefinition[];
  /** Undefined for an unknown tool. */
  callTool(principal: MemoryPrincipal, name: string, input: unknown): Promise<MemoryResult | undefined>;
};

/** A caller for one request: what it may see and do is decided elsewhere. */
export type MemoryCaller = {
  readonly personId: string;
  listTools(): Promise<readonly Tool[]>;
  /** Throws a ProtocolError for an unknown tool. */
  callTool(call: {
    readonly id: string | number;
    readonly name: string;
    readonly arguments: Record<string, unknown> | undefined;
    readonly meta: Readonly<Record<string, unknown>>;
    readonly signal: AbortSignal;
  }): Promise<Record<string, unknown>>;
};

const definitions: readonly MemoryToolDefinition[] = memoryTools.map(({ definition }) => definition);

export function createMemoryConnection(service: MemoryService, onError: (error: unknown) => void): MemoryConnection {
  return {
    listTools: () => definitions,
    callTool: (principal, name, input) => callMemoryTool(service, principal, name, input, onError),
  };
}
