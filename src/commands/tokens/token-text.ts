import type { HubTokenWithSecret } from '../../contract/hubs/hubs-api.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';

/** The MCP endpoint for tokens of a control plane. */
function buildAgentUrl(baseUrl: string): string {
  return `${baseUrl}/agent/mcp`;
}

/** A token and how to use it. */
export function formatHubToken({ hub_token: row, token }: HubTokenWithSecret, baseUrl: string): string {
  const expiryNote = row.expires_at === null ? 'it does not expire' : `it is valid until ${row.expires_at}`;
  return `token ${escapeUnsafeLine(row.name)} of ${row.person} for the hub ${row.hub}, id ${row.token_id}; ${expiryNote}

  ${token}

a client sends it to ${buildAgentUrl(baseUrl)} in the header
  Authorization: Bearer <token>
Its calls are made in your name. If others may have seen it, replace it with \`vp tokens rotate ${row.token_id}\`
`;
}
