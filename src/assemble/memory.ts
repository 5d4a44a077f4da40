/** The memory service of a control plane; MCP is loaded at its first call. */
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type MemoryConnection, memoryConnection } from '../memory/connection.ts';
import type { MemoryHandler } from '../memory/mcp-handler.ts';
import { openMemory } from '../memory/memory-service.ts';
import type { ProcessLog } from './process-log.ts';

/** What it stands on. */
export type MemoryPlace = {
  readonly folder: string;
  readonly environment: Pick<Environment, 'clock' | 'random'>;
  readonly log: ProcessLog;
};

/** Open. */
export type MemoryRole = {
  /** For hubs: they hand over who calls. */
  readonly connection: MemoryConnection;
  handler(): Promise<MemoryHandler>;
  close(): Promise<void>;
};

/** Opens it. Throws STORE_*. */
export function openMemoryRole({ folder, environment, log }: MemoryPlace): MemoryRole {
  const { clock, random } = environment;
  const service = openMemory({ folder, clock, random });
  const onFault = (fault: unknown): void => log.error({ err: fault }, 'the memory service broke');
  const connection = memoryConnection(service, onFault);
  let opened: Promise<MemoryHandler> | undefined;
  return {
    connection,
    handler() {
      opened ??= import('../memory/mcp-handler.ts').then(({ memoryHandler }) =>
        memoryHandler(connection, version, onFault),
      );
      return opened;
    },
    async close() {
      await (await opened)?.close();
      await service.close();
    },
  };
}
