/**
 * The memory service as a connection of a hub, in the same process: the hub hands over who calls, and no token, so that
 * memory is governed and audited like every other connection.
 */
import type { MemoryService } from './memory-service.ts';
import { callMemoryTool, type MemoryResult, type MemoryToolDefinition, memoryTools } from './tools.ts';
import type { MemoryPrincipal } from './words.ts';

/** What a gateway calls. */
export type MemoryConnection = {
  /** The same list each time, the very same object. */
  listTools(): readonly MemoryToolDefinition[];
  /** Undefined where there is no tool of that name. */
  callTool(who: MemoryPrincipal, name: string, input: unknown): Promise<MemoryResult | undefined>;
};

const definitions: readonly MemoryToolDefinition[] = memoryTools.map(({ definition }) => definition);

/** See {@link MemoryConnection}. */
export function memoryConnection(service: MemoryService, onFault: (fault: unknown) => void): MemoryConnection {
  return {
    listTools: () => definitions,
    callTool: (who, name, input) => callMemoryTool(service, who, name, input, onFault),
  };
}
