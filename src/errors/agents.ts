/** Errors of the agents' tools. Other areas' errors reach agents too; these have no other place. */
import { answering, invalid, malformed, missing, unready } from './row.ts';

/** Area: agents. */
export const agentErrors = {
  AGENT_TOKEN_UNRECOGNIZED: answering(401)(
    'unrecognized router token',
    'check that this folder’s `.mcp.json` holds the token of this instance and that vp answers at its address; `vp agent-token rotate` writes a new token there',
  ),
  AGENT_TOKEN_UNVERIFIED: unready('nobody can say now whose token this is: {{problem}}', '{{cure}}'),
  AGENT_TOOL_UNKNOWN: missing('there is no tool {{tool}} for this token{{hint}}', 'its tools are {{known}}'),
  AGENT_ARGUMENTS_INVALID: malformed('{{tool}} was not called: {{problems}}', 'it takes {{allowed}}'),
  AGENT_INSTANCE_OTHER: invalid(
    'this token is for the instance {{own}}, not for {{asked}}',
    'leave `instance` out, or ask in the folder that belongs to {{asked}}',
  ),
  AGENT_SCENARIO_AMBIGUOUS: invalid(
    'give either `scenario_id` or `text`, and not both',
    '`scenario_id` runs what the catalogue has; `text` runs a text without storing it',
  ),
  AGENT_SUITE_EMPTY: missing(
    'no scenario of the catalogue fits: {{asked}}',
    'see author__list_scenarios for ids and tags',
  ),
  AGENT_SUITE_TOO_LARGE: invalid(
    '{{count}} scenarios fit, and at most {{most}} are requested at once',
    'narrow it with `tags`, or give `ids`',
  ),
  AGENT_DATABASE_ABSENT: missing(
    'this project has no database that can be read',
    'a person adds `targets.database` with a read-only user to platform-config.yaml and restarts the executor',
  ),
  AGENT_TABLE_UNKNOWN: missing('the public schema has no table {{table}}{{hint}}', 'its tables are {{known}}'),
  AGENT_QUERY_REFUSED: invalid('the query was not run: {{problem}}', '{{cure}}'),
  AGENT_TOPIC_UNKNOWN: missing('the guide has no topic {{topic}}{{hint}}', 'its topics are {{known}}'),
} as const;
