/** Transports to the server of a connection: Streamable HTTP, the older HTTP with SSE, or standard streams. */
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type GuardedFetch, toFetchResponse, type UpstreamCall } from '../../outbound/guarded-fetch.ts';
import type { UpstreamResponse, UpstreamResponseOptions } from '../../outbound/upstream-response-reader.ts';
import type { UpstreamTokenSource } from '../sign-in/token-source.ts';
import type { ConnectionSecrets, UpstreamConnection } from '../types.ts';
import { ChildTransport } from './commands/child-transport.ts';
import { createChildStarter } from './commands/command-process.ts';
import { buildCommandProcess, type CommandRunnerOptions, type OperatorCommands } from './commands/operator-commands.ts';
import { withOrderedResponses } from './message-interceptor.ts';
import { discardBody, type JsonRpcPost } from './stateless-client.ts';
import { getCurrentCall } from './upstream-call.ts';

export type TransportDependencies = {
  readonly request: GuardedFetch['request'];
  readonly fetch: GuardedFetch['fetch'];
  readonly secrets: ConnectionSecrets;
  readonly commands: OperatorCommands;
  readonly runnerOptions: CommandRunnerOptions;
  readonly maxMessageBytes: number;
  readonly random: Pick<Random, 'token'>;
};

/** The transport is not started yet. Throws UPSTREAM_COMMAND_UNKNOWN. */
export async function createUpstreamTransport(
  connection: UpstreamConnection,
  tokenSource: UpstreamTokenSource | undefined,
  dependencies: TransportDependencies,
): Promise<Transport> {
  if (connection.kind === 'stdio') return createChildTransport(connection, dependencies);
  const url = new URL(connection.url ?? '');
  if (connection.kind === 'sse') return createSseTransport(url, connection, tokenSource, dependencies);
  const fetch = await createCredentialedFetch(connection, tokenSource, dependencies);
  return new StreamableHTTPClientTransport(url, { fetch, onInsufficientScope: 'throw' });
}

/** The server forgets a session when its stream ends, so the transport is closed, whatever its reader would retry. */
async function createSseTransport(
  url: URL,
  connection: UpstreamConnection,
  tokenSource: UpstreamTokenSource | undefined,
  dependencies: TransportDependencies,
) {
  const requestOptions = { onStreamEnd: () => void transport.close() };
  const fetch = await createCredentialedFetch(connection, tokenSource, dependencies, requestOptions);
  const transport: SSEClientTransport = new SSEClientTransport(url, { fetch });
  return withOrderedResponses(transport);
}

/** Returns undefined for connections without Streamable HTTP. */
export async function createJsonRpcPost(
  connection: UpstreamConnection,
  tokenSource: UpstreamTokenSource | undefined,
  dependencies: Pick<TransportDependencies, 'request' | 'secrets'>,
): Promise<JsonRpcPost | undefined> {
  if (connection.kind !== 'http') return undefined;
  const url = new URL(connection.url ?? '');
  const request = await createCredentialedRequest(connection, tokenSource, dependencies);
  return (body, headers, signal) => request(url, { method: 'POST', headers, body, signal });
}

type Header = { readonly name: string; readonly value: string };

async function readCredentialHeader(
  { id, credential }: UpstreamConnection,
  secrets: ConnectionSecrets,
): Promise<Header | undefined> {
  return credential.kind === 'header' ? secrets.header(id) : undefined;
}

async function createCredentialedFetch(
  ...args: Parameters<typeof createCredentialedRequest>
): Promise<(url: string | URL, init?: RequestInit) => Promise<Response>> {
  const request = await createCredentialedRequest(...args);
  return async (url, init) => toFetchResponse(await request(url, init));
}

/**
 * Adds the connection's credential, only for requests to the origin of the connection, whatever address the server
 * names.
 */
async function createCredentialedRequest(
  connection: UpstreamConnection,
  tokenSource: UpstreamTokenSource | undefined,
  { request, secrets }: Pick<TransportDependencies, 'request' | 'secrets'>,
  defaultOptions: UpstreamResponseOptions = {},
): Promise<UpstreamCall<UpstreamResponse>> {
  const { origin } = new URL(connection.url ?? '');
  const header = await readCredentialHeader(connection, secrets);
  return async (url, init = {}) => {
    const callOptions = init.method === 'POST' ? (getCurrentCall() ?? {}) : defaultOptions;
    const send = (credentialHeader: Header | undefined): Promise<UpstreamResponse> => {
      if (!credentialHeader) return request(url, init, callOptions);
      const headers = new Headers(init.headers);
      headers.set(credentialHeader.name, credentialHeader.value);
      return request(url, { ...init, headers }, callOptions);
    };
    const target = url instanceof URL ? url : new URL(url);
    if (target.origin !== origin) return send(undefined);
    return tokenSource ? sendWithToken(connection.name, tokenSource, send) : send(header);
  };
}

/** A rejected token is refreshed and the request sent once more: the server did not act on it. */
async function sendWithToken(
  connection: string,
  tokenSource: UpstreamTokenSource,
  send: (header: Header) => Promise<UpstreamResponse>,
): Promise<UpstreamResponse> {
  const sendToken = async (token: string): Promise<UpstreamResponse> => {
    const response = await send({ name: 'Authorization', value: `Bearer ${token}` });
    assertScopeSufficient(connection, response);
    return response;
  };
  const token = await tokenSource.getToken();
  const response = await sendToken(token);
  if (response.status !== 401) return response;
  await discardBody(response);
  return sendToken(await tokenSource.getReplacement(token));
}

/** Throws UPSTREAM_SCOPE_NEEDED if the token is valid but its scope is insufficient. */
function assertScopeSufficient(connection: string, { status, headers }: UpstreamResponse): void {
  const { 'www-authenticate': challenge = '' } = headers;
  if (status !== 403 || !/\berror="?insufficient_scope\b/.test(challenge)) return;
  const [, scope = 'a further scope'] = /\bscope="([\w:./ -]{1,200})"/.exec(challenge) ?? [];
  throw vpError('UPSTREAM_SCOPE_NEEDED', { connection, scope });
}

function createChildTransport(
  connection: UpstreamConnection,
  { commands, runnerOptions, maxMessageBytes, random }: TransportDependencies,
): ChildTransport {
  const unknownCommandError = () => vpError('UPSTREAM_COMMAND_UNKNOWN', { command: connection.command ?? '' });
  const command = commands.get(connection.command ?? '');
  if (!command) throw unknownCommandError();
  const name = `vp-hub-${connection.id}-${random.token(6)}`;
  const commandProcess = buildCommandProcess(command, runnerOptions, { label: connection.id, name });
  if (!commandProcess) throw unknownCommandError();
  return withOrderedResponses(new ChildTransport(createChildStarter(commandProcess), maxMessageBytes));
}
