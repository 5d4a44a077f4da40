/** The tool that every hub has: it reports which connections respond. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { CatalogueList } from './catalogue.ts';
import { parseConnectionName } from './public-names.ts';

/** The name has no separator, so it belongs to no connection. */
export const statusTool: Tool = {
  name: 'vp_hub_status',
  title: 'Status of this hub',
  description:
    'Reports how many tools each connection of this hub offers, and which connections do not respond and why.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

export function createStatusResult({ items, missing }: CatalogueList<Tool>): CallToolResult {
  const counts = new Map<string, number>();
  for (const { key } of items) {
    const connection = parseConnectionName(key) ?? '';
    counts.set(connection, (counts.get(connection) ?? 0) + 1);
  }
  const connections = [...counts].map(([connection, tools]) => ({ connection, tools }));
  const lines = [
    ...connections.map(({ connection, tools }) => `${connection}: ${tools} tools`),
    ...missing.map(({ connection, message }) => `${connection}: ${message}`),
  ];
  const text = lines.length > 0 ? lines.join('\n') : 'This hub has no connections that offer tools.';
  return { content: [{ type: 'text', text }], structuredContent: { connections, missing: [...missing] } };
}
