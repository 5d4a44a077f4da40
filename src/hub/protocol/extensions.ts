/** Extensions of MCP that a hub forwards (modelcontextprotocol.io, extensions). */
import type { ClientCapabilities } from '@modelcontextprotocol/client';

export const tasksExtension = 'io.modelcontextprotocol/tasks';
/** MCP Apps: tools with a view. */
export const appsExtension = 'io.modelcontextprotocol/ui';

/** Extensions whose messages and metadata a hub forwards. */
export const forwardedExtensions = [tasksExtension, appsExtension] as const;

/**
 * What a hub declares for itself when it reads lists and watches changes. Servers of apps may list the tools without their views to
 * a client that does not declare the extension.
 */
export const hubCapabilities: ClientCapabilities = {
  extensions: { [tasksExtension]: {}, [appsExtension]: { mimeTypes: ['text/html;profile=mcp-app'] } },
};

/** The capabilities for a session of an older revision, which has no extension for tasks. */
export function pickOlderCapabilities({ extensions, ...capabilities }: ClientCapabilities): ClientCapabilities {
  const apps = extensions?.[appsExtension];
  return apps === undefined ? capabilities : { ...capabilities, extensions: { [appsExtension]: apps } };
}

/** The extension of apps has no messages: it is in use where both sides declare it. */
export function declaresApps(capabilities: unknown): boolean {
  return Object(Object(capabilities).extensions)[appsExtension] !== undefined;
}
