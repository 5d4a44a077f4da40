/** What a server tells its clients about itself, in each revision. */
import type { ClientCapabilities, Implementation, ServerCapabilities } from '@modelcontextprotocol/server';
import { appsExtension, declaresApps, tasksExtension } from '../protocol/extensions.ts';
import { hasTaskRequests, negotiateRevision, newestRevision } from './revisions.ts';

export type ServerDescription = {
  readonly info: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
  /** True if tools can run as tasks. */
  readonly hasTasks?: boolean;
  /** True if tools can have views (MCP Apps). */
  readonly hasApps?: boolean;
};

type InitializeParams = { readonly protocolVersion: string; readonly capabilities?: ClientCapabilities };

const olderTasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

export function createInitializeResult(
  { info, capabilities: common, instructions, hasTasks, hasApps }: ServerDescription,
  { protocolVersion: requested, capabilities: client }: InitializeParams,
): Record<string, unknown> {
  const protocolVersion = negotiateRevision(requested);
  const tasks = hasTasks && hasTaskRequests(protocolVersion) ? { tasks: olderTasks } : {};
  const apps = hasApps && declaresApps(client) ? { extensions: { [appsExtension]: {} } } : {};
  const capabilities = { ...common, ...tasks, ...apps };
  return { protocolVersion, capabilities, serverInfo: info, instructions };
}

/** The result of `server/discover`; `client` is what the client declares with the request. */
export function createDiscoverResult(
  { capabilities: common, instructions, hasTasks, hasApps }: ServerDescription,
  client: unknown = undefined,
): Record<string, unknown> {
  const extensions = {
    ...(hasTasks ? { [tasksExtension]: {} } : {}),
    ...(hasApps && declaresApps(client) ? { [appsExtension]: {} } : {}),
  };
  const capabilities = Object.keys(extensions).length > 0 ? { ...common, extensions } : common;
  return { supportedVersions: [newestRevision], capabilities, instructions };
}
