/**
 * The tools of each role. Loads neither the MCP SDK nor a client, so that a router can list them without an executor.
 */
import type { AgentRole } from '../../contract/agents/agent-token.ts';
import { productAgentTools } from '../product-agent/tools.ts';
import { testAgentTools } from '../test-agent/tools.ts';
import type { Tool, ToolDefinition } from './tool.ts';

const toolsByRole: Readonly<Record<AgentRole, readonly Tool[]>> = { test: testAgentTools, product: productAgentTools };

/** Tools that `role` may call, in list order. */
export function listTools(role: AgentRole): readonly Tool[] {
  return toolsByRole[role];
}

export function listToolDefinitions(role: AgentRole): readonly ToolDefinition[] {
  return toolsByRole[role].map(({ definition }) => definition);
}
