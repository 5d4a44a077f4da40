import type { CreateAgentTokenResponse } from '../../contract/agents/agent-api.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';

/** A new token and how to use it. A token can be shown only when it is created. */
export function formatNewAgentToken({
  agent_token: { instance, role, agent_token_id: id, name },
  token,
}: CreateAgentTokenResponse): string {
  const label = name === null ? '' : ` (${escapeUnsafeLine(name)})`;
  return `token of the ${role} agent of ${instance}${label}, id ${id}

  ${token}

It is shown only once. Put it into the agent's folder, in the header of the entry \`vp-${instance}\` of .mcp.json, which git must ignore:
  "Authorization": "Bearer <token>"
If others may have seen it: vp agent-token rotate ${instance} ${id}
`;
}
