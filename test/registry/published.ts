/** Entries of a registry, put there without any proof. */
import {
  insertRegistryVersion,
  markRegistryLatest,
  registryVersion,
  setRegistryStatus,
} from '../../src/store/control/registry-versions.ts';
import type { Database } from '../../src/store/database.ts';

/** What a test says of an entry. */
export type Put = {
  readonly name: string;
  readonly version?: string;
  readonly status?: 'active' | 'deprecated' | 'deleted';
  readonly latest?: boolean;
  readonly atMs?: number;
};

/** A document as one publishes it. */
export function aServer(name: string, version = '1.0.0', more: object = {}): Record<string, unknown> {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name,
    description: `Tools of ${name}`,
    version,
    remotes: [{ type: 'streamable-http', url: `https://mcp.example.com/${name}` }],
    ...more,
  };
}

/** Puts entries in, one after another. */
export async function put(database: Database, entries: readonly Put[]): Promise<void> {
  for (const { name, version = '1.0.0', status = 'active', latest = true, atMs = 1_000 } of entries) {
    const document = JSON.stringify(aServer(name, version));
    await database.write((sql) => {
      insertRegistryVersion(sql, { name, version, document, published_by: 'example.com' }, { urls: [], nowMs: atMs });
      const row = registryVersion(sql, name, version);
      if (row && latest) markRegistryLatest(sql, name, row.id);
      if (row && status !== 'active') setRegistryStatus(sql, row.id, { status, message: 'gone', nowMs: atMs });
    });
  }
}
