/** The tools with which a client that does not list all tools of a hub searches for them. */
import type { Tool } from '@modelcontextprotocol/server';

export const maxQueryLength = 500;
export const maxToolMatches = 20;
export const defaultToolMatches = 5;

const name = { type: 'string', description: 'Name of the tool, as find_tools returns it: <connection>__<tool>.' };

/** The names have no separator, so they belong to no connection. */
export const findToolsDefinition: Tool = {
  name: 'find_tools',
  title: 'Find tools',
  description:
    'Searches the tools that this hub offers. Say in a few words what you want to do, for example "create an issue" or "rows of a table". Returns the best matches with their arguments; required ones are marked with *.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: maxQueryLength, description: 'What the tool should do.' },
      limit: { type: 'integer', minimum: 1, maximum: maxToolMatches, default: defaultToolMatches },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

export const describeToolDefinition: Tool = {
  name: 'describe_tool',
  title: 'Describe a tool',
  description: 'Returns the complete definition of a tool, with the schema of its arguments.',
  inputSchema: { type: 'object', properties: { name }, required: ['name'], additionalProperties: false },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** It may do whatever a tool of the hub does. */
export const callToolDefinition: Tool = {
  name: 'call_tool',
  title: 'Call a tool',
  description: 'Calls a tool of this hub. Get its arguments from find_tools or describe_tool first.',
  inputSchema: {
    type: 'object',
    properties: { name, arguments: { type: 'object', description: 'Arguments of the tool.' } },
    required: ['name'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};

export const searchTools: readonly Tool[] = [callToolDefinition, describeToolDefinition, findToolsDefinition];
