/** The one tool that every hub has: which of its connections answer, and what is wrong with the others. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { Gathered } from './catalogue.ts';
import { connectionOfName } from './names.ts';

/** Its name has no separator, so it is no connection's. */
export const statusTool: Tool = {
  name: 'vp_hub_status',
  title: 'Status of this hub',
  description: 'Tells how many tools each connection of this hub offers, and which connections do not answer and why.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** Its answer. */
export function statusResult({ items, missing }: Gathered<Tool>): CallToolResult {
  const counts = new Map<string, number>();
  for (const { key } of items) {
    const connection = connectionOfName(key) ?? '';
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
