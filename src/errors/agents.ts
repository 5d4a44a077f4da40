/** Errors of the tools of agents. Agents also receive errors of other areas. */
import { invalid, malformed, notFound, notReady, withStatus } from './row.ts';

export const agentErrors = {
  AGENT_TOKEN_UNRECOGNIZED: withStatus(401)(
    'unrecognized router token',
    'reload the MCP servers of this session, since `.mcp.json` may have a newer token; if that does not help, ask the operator of this instance to run `vp agent-token rotate <instance> --folder <folder>`, and to check that vp answers at the address in `.mcp.json`',
  ),
  AGENT_TOKEN_UNVERIFIED: notReady('the token cannot be verified at the moment: {{problem}}', '{{cure}}'),
  AGENT_TOOL_UNKNOWN: notFound('there is no tool {{tool}} for this token{{hint}}', 'its tools are {{known}}'),
  AGENT_ARGUMENTS_INVALID: malformed('{{tool}} was not called: {{problems}}', 'it takes {{allowed}}'),
  AGENT_INSTANCE_OTHER: invalid(
    'this token is for the instance {{token_instance}}, not for {{requested}}',
    'omit `instance`, or use the folder that belongs to {{requested}}',
  ),
  AGENT_SCENARIO_AMBIGUOUS: invalid(
    'give either `scenario_id` or `text`, and not both',
    '`scenario_id` runs a scenario of the catalogue; `text` runs a text without storing it',
  ),
  AGENT_TEXT_AMBIGUOUS: invalid(
    'give one of `text`, `texts` and `import`, and `if_revision` only with `text`',
    '`text` is one scenario; `texts` is a list of them; `import` is what another tool has',
  ),
  AGENT_IMPORT_NOTHING: invalid(
    'nothing of this {{format}} source is a request that a scenario can send: {{reason}}',
    'pass the whole text of the file, and the format that it has',
  ),
  AGENT_PROBE_AMBIGUOUS: invalid(
    'give either `method` and `path`, or `requests`',
    '`requests` is a list of objects with `method` and `path`, and perhaps `headers`, `body`, `auth`',
  ),
  AGENT_SUITE_EMPTY: notFound(
    'no scenario of the catalogue matches: {{filter}}',
    'see author__list_scenarios for ids and tags',
  ),
  AGENT_SUITE_TOO_LARGE: invalid(
    '{{count}} scenarios match, and at most {{max}} can be requested at once',
    'narrow it with `tags`, or give `ids`',
  ),
  AGENT_DATABASE_ABSENT: notFound(
    'this project has no database that can be read',
    'ask the operator to add `targets.database` with a read-only user to platform-config.yaml and to restart the executor',
  ),
  AGENT_TABLE_UNKNOWN: notFound('the public schema has no table {{table}}{{hint}}', 'its tables are {{known}}'),
  AGENT_QUERY_REFUSED: invalid('the query was not run: {{problem}}', '{{cure}}'),
  AGENT_TOPIC_UNKNOWN: notFound('the guide has no topic {{topic}}{{hint}}', 'its topics are {{known}}'),
} as const;
