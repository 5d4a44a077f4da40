/** What a server tells its clients about itself, in each revision. */
import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';
import { negotiateRevision, newestRevision } from './revisions.ts';

export type ServerDescription = {
  readonly info: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
};

/** The result of `initialize`. */
export function createInitializeResult(
  { info, capabilities, instructions }: ServerDescription,
  { protocolVersion }: { readonly protocolVersion: string },
): Record<string, unknown> {
  return { protocolVersion: negotiateRevision(protocolVersion), capabilities, serverInfo: info, instructions };
}

/** The result of `server/discover`. */
export function createDiscoverResult({ capabilities, instructions }: ServerDescription): Record<string, unknown> {
  return { supportedVersions: [newestRevision], capabilities, instructions };
}
