/** The way to the server of a connection: Streamable HTTP, the older HTTP with SSE, or a child's standard streams. */
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { vpError } from '../../errors/vp-error.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import { startProgram } from '../../process/child-program.ts';
import type { Connection, ConnectionSecrets } from '../words.ts';
import { currentCall } from './call.ts';
import { ChildTransport } from './child-transport.ts';
import type { OauthClient } from './oauth-client.ts';
import { type CommandRunning, type OperatorCommands, programOf } from './operator-commands.ts';

/** What transports are made with. */
export type TransportParts = {
  readonly fetch: GuardedFetch['fetch'];
  readonly secrets: ConnectionSecrets;
  readonly commands: OperatorCommands;
  readonly running: CommandRunning;
  readonly messageLimitBytes: number;
};

/** Makes a transport, which is not started yet. Throws UPSTREAM_COMMAND_UNKNOWN. */
export async function transportTo(
  connection: Connection,
  oauth: OauthClient | undefined,
  parts: TransportParts,
): Promise<Transport> {
  if (connection.kind === 'stdio') return childOf(connection, parts);
  const url = new URL(connection.url ?? '');
  const fetch = fetchWith(url.origin, await headerOf(connection, parts.secrets), parts.fetch);
  const options = { fetch, ...(oauth ? { authProvider: oauth } : {}) };
  if (connection.kind === 'sse') return new SSEClientTransport(url, options);
  return new StreamableHTTPClientTransport(url, { ...options, onInsufficientScope: 'throw' });
}

type Header = { readonly name: string; readonly value: string };

async function headerOf({ id, credential }: Connection, secrets: ConnectionSecrets): Promise<Header | undefined> {
  return credential.kind === 'header' ? secrets.header(id) : undefined;
}

/** The credential goes to the origin of the connection only, whatever address the server names. */
function fetchWith(origin: string, header: Header | undefined, fetch: GuardedFetch['fetch']) {
  return (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const flying = (init.method === 'POST' ? currentCall() : undefined) ?? {};
    if (!header || new URL(url).origin !== origin) return fetch(url, init, flying);
    const headers = new Headers(init.headers);
    headers.set(header.name, header.value);
    return fetch(url, { ...init, headers }, flying);
  };
}

function childOf(connection: Connection, { commands, running, messageLimitBytes }: TransportParts): ChildTransport {
  const unknown = () => vpError('UPSTREAM_COMMAND_UNKNOWN', { command: connection.command ?? '' });
  const command = commands.get(connection.command ?? '');
  if (!command) throw unknown();
  const program = programOf(command, running, connection.id);
  if (!program) throw unknown();
  const { file, words, variables } = program;
  return new ChildTransport(
    (onOutput, onEnd) => startProgram(file, words, { variables, onOutput, onEnd }),
    messageLimitBytes,
  );
}
