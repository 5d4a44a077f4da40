import type { HubTokenShown } from '../../contract/hub-api.ts';
import { printableLine } from '../../report/printable.ts';

/** Where a client of tokens goes, by the address of the control plane. */
export function agentUrl(baseUrl: string): string {
  return `${baseUrl}/agent/mcp`;
}

/** A token with what to do with it. */
export function tokenText({ hub_token: row, token }: HubTokenShown, baseUrl: string): string {
  const until = row.expires_at === null ? 'it does not expire' : `it holds until ${row.expires_at}`;
  return `token ${printableLine(row.name)} of ${row.person} for the hub ${row.hub}, id ${row.token_id}; ${until}

  ${token}

a client shows it at ${agentUrl(baseUrl)} in the header
  Authorization: Bearer <token>
What it calls is done in your name. When it was seen by others: vp tokens rotate ${row.token_id}
`;
}
