import type { AgentTokenCreated } from '../../contract/agent-api.ts';
import { printableLine } from '../../report/printable.ts';

/** A token that was made just now, with what to do with it: the only time that it is shown. */
export function tokenText({
  agent_token: { instance, role, agent_token_id: id, name },
  token,
}: AgentTokenCreated): string {
  const label = name === null ? '' : ` (${printableLine(name)})`;
  return `token of the ${role} agent of ${instance}${label}, id ${id}

  ${token}

it is shown this once. It belongs into the agent's folder, in the header of the entry \`vp-${instance}\` of .mcp.json, which git must ignore:
  "Authorization": "Bearer <token>"
When it was seen by others: vp agent-token rotate ${instance} ${id}
`;
}
