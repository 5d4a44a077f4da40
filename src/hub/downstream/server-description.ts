/** What a server tells its clients about itself, in each revision. */
import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';
import { hasTaskRequests, negotiateRevision, newestRevision } from './revisions.ts';

export type ServerDescription = {
  readonly info: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
  /** True if tools can run as tasks. */
  readonly hasTasks?: boolean;
};

const olderTasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The result of `initialize`. */
export function createInitializeResult(
  { info, capabilities: common, instructions, hasTasks }: ServerDescription,
  { protocolVersion: requested }: { readonly protocolVersion: string },
): Record<string, unknown> {
  const protocolVersion = negotiateRevision(requested);
  const capabilities = hasTasks && hasTaskRequests(protocolVersion) ? { ...common, tasks: olderTasks } : common;
  return { protocolVersion, capabilities, serverInfo: info, instructions };
}

/** The result of `server/discover`. */
export function createDiscoverResult({
  capabilities: common,
  instructions,
  hasTasks,
}: ServerDescription): Record<string, unknown> {
  const capabilities = hasTasks ? { ...common, extensions: { [tasksExtension]: {} } } : common;
  return { supportedVersions: [newestRevision], capabilities, instructions };
}
