/** Registry versions, inserted without a domain proof. */
import {
  findRegistryVersion,
  insertRegistryVersion,
  markRegistryLatest,
  updateRegistryStatus,
} from '../../src/store/control/registry/versions.ts';
import type { Database } from '../../src/store/database.ts';

export type TestVersion = {
  readonly name: string;
  readonly version?: string;
  readonly status?: 'active' | 'deprecated' | 'deleted';
  readonly latest?: boolean;
  readonly atMs?: number;
};

/** A valid server.json. */
export function createServerDocument(name: string, version = '1.0.0', more: object = {}): Record<string, unknown> {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name,
    description: `Tools of ${name}`,
    version,
    remotes: [{ type: 'streamable-http', url: `https://mcp.example.com/${name}` }],
    ...more,
  };
}

export async function insertVersions(database: Database, entries: readonly TestVersion[]): Promise<void> {
  for (const { name, version = '1.0.0', status = 'active', latest = true, atMs = 1_000 } of entries) {
    const document = JSON.stringify(createServerDocument(name, version));
    await database.write((sql) => {
      insertRegistryVersion(sql, { name, version, document, published_by: 'example.com' }, { urls: [], nowMs: atMs });
      const row = findRegistryVersion(sql, name, version);
      if (row && latest) markRegistryLatest(sql, name, row.id);
      if (row && status !== 'active') updateRegistryStatus(sql, row.id, { status, message: 'gone', nowMs: atMs });
    });
  }
}
