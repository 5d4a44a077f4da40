/** The memory service of a control plane; its MCP handler is loaded at the first call. */
import type { Environment } from '../../environment/environment.ts';
import { version } from '../../environment/version.ts';
import type { McpHandler } from '../../http/mcp-handler.ts';
import { createMemoryConnection, type MemoryCaller, type MemoryConnection } from '../../memory/memory-connection.ts';
import { openMemory } from '../../memory/memory-service.ts';
import type { Database } from '../../store/database.ts';
import { Lazy } from '../lazy.ts';
import type { ProcessLog } from '../process-log.ts';

export type MemoryDependencies = {
  readonly folder: string;
  readonly environment: Pick<Environment, 'clock' | 'random' | 'pid'>;
  readonly log: ProcessLog;
  /** On PostgreSQL. */
  readonly database?: Database | undefined;
};

export type MemoryRole = {
  /** For hubs, which pass the caller. */
  readonly connection: MemoryConnection;
  handler(): Promise<McpHandler<MemoryCaller>>;
  close(): Promise<void>;
};

/** Throws STORE_*. */
export function openMemoryRole({ folder, environment, log, database }: MemoryDependencies): MemoryRole {
  const { clock, random, pid } = environment;
  const service = openMemory({ folder, clock, random, pid, database });
  const onFault = (fault: unknown): void => log.error({ err: fault }, 'the memory service failed');
  const connection = createMemoryConnection(service, onFault);
  const handler = new Lazy(async () => {
    const { createMemoryHandler } = await import('../../memory/mcp-handler.ts');
    return createMemoryHandler(version, onFault);
  });
  return {
    connection,
    handler: () => handler.get(),
    async close() {
      await (await handler.created)?.close();
      await service.close();
    },
  };
}
