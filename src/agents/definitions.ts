/** The tools of each role. Loads neither the MCP SDK nor a client, so that a router can list them by itself. */
import type { AgentRole } from '../contract/agent-token.ts';
import { productAgentTools } from './product-agent/tools.ts';
import { testAgentTools } from './test-agent/tools.ts';
import type { Tool, ToolDefinition } from './tool.ts';

const tools: Readonly<Record<AgentRole, readonly Tool[]>> = { test: testAgentTools, product: productAgentTools };

/** What `role` may call, in the order of the list. */
export function toolsOf(role: AgentRole): readonly Tool[] {
  return tools[role];
}

/** The tools of `role` as `tools/list` sends them. */
export function toolDefinitions(role: AgentRole): readonly ToolDefinition[] {
  return tools[role].map(({ definition }) => definition);
}
