import type { AuditCall } from '../../contract/hubs/audit-api.ts';

/** `docs__search` for a call of a tool; other entries begin with their method, such as `approval requested: docs__search`. */
export function describeCall({ connection, tool, method }: Pick<AuditCall, 'connection' | 'tool' | 'method'>): string {
  const name = tool !== null && connection !== null ? `${connection}__${tool}` : (tool ?? connection);
  if (name === null) return method;
  return method === 'tools/call' ? name : `${method}: ${name}`;
}
