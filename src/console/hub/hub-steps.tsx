import { useQuery } from '@tanstack/react-query';
import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import type { Hub } from '../../contract/hubs/hubs-api.ts';
import { Checklist } from '../components/checklist.tsx';
import { hubPath } from '../paths.ts';
import { useClient } from '../session/client.ts';

/** Changes of a hub have rows, too; a new hub has few of them. */
const newestRows = 100;

/** A call that was denied, or did not reach its server, has a row too. */
export function isAnsweredToolCall({ method, outcome }: Pick<AuditCall, 'method' | 'outcome'>): boolean {
  return method === 'tools/call' && (outcome === 'ok' || outcome === 'tool_error');
}

/** The way from an empty hub to the first recorded call, as a checklist. Steps that the role may not do have no link. */
export function HubSteps({ hub: { slug, role } }: { hub: Pick<Hub, 'slug' | 'role'> }) {
  const { hubs, hubPolicy, hubAudit } = useClient();
  const connections = useQuery({
    queryKey: ['hub-connections', slug],
    queryFn: ({ signal }) => hubs.listConnections(slug, { signal }),
  });
  const tools = useQuery({
    queryKey: ['hub-tools', slug],
    queryFn: ({ signal }) => hubPolicy.listTools(slug, { signal }),
  });
  const tokens = useQuery({
    queryKey: ['hub-tokens', slug],
    queryFn: ({ signal }) => hubs.listTokens(slug, { signal }),
  });
  const calls = useQuery({
    queryKey: ['hub-audit-newest', slug],
    queryFn: ({ signal }) => hubAudit.search(slug, { limit: newestRows }, { signal }),
  });
  if ([connections, tools, tokens, calls].some(({ isPending }) => isPending)) return null;
  const owned = (page: string): string | undefined => (role === 'owner' ? hubPath(slug, page) : undefined);
  const called = (page: string): string | undefined => (role === 'viewer' ? undefined : hubPath(slug, page));
  return (
    <Checklist
      steps={[
        {
          text: role === 'owner' ? 'Connect an MCP server' : 'An owner of the hub connects an MCP server',
          href: owned('connections'),
          isDone: (connections.data ?? []).length > 0,
        },
        { text: 'List its tools', href: called('try'), isDone: (tools.data ?? []).length > 0 },
        { text: 'Call a tool', href: called('try'), isDone: (calls.data?.items ?? []).some(isAnsweredToolCall) },
        {
          text: 'Create a token for a client without a browser (optional)',
          href: hubPath(slug),
          isDone: (tokens.data ?? []).length > 0,
        },
      ]}
    />
  );
}
