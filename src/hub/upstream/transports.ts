/** Transports to the server of a connection: Streamable HTTP, the older HTTP with SSE, or standard streams. */
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type GuardedFetch, toFetchResponse, type UpstreamFetch } from '../../outbound/guarded-fetch.ts';
import type { UpstreamResponse } from '../../outbound/upstream-response-reader.ts';
import { largeTextLength } from '../../timing/large-text-turn.ts';
import type { ConnectionSecrets, UpstreamConnection } from '../connections/connection.ts';
import { type GetHubMark, hubPathHeader } from '../protocol/hub-path.ts';
import type { UpstreamTokenSource } from '../sign-in/token-source.ts';
import { boundOpenAnswers } from './bounded-answers.ts';
import { ChildLink } from './commands/child-link.ts';
import { createChildStarter } from './commands/command-process.ts';
import { buildCommandProcess, type CommandRunnerOptions, type OperatorCommands } from './commands/operator-commands.ts';
import type { CallTimeouts } from './deadline.ts';
import { type CallerEvents, DuplexCaller } from './duplex-caller.ts';
import { HttpCaller, type HttpSend } from './http-caller.ts';
import { discardBody } from './http-errors.ts';
import { isSubscriptionRequest, toEventStream } from './json-lines.ts';
import type { MessageLink } from './message-link.ts';
import { SseLink } from './sse-link.ts';
import { addDiscoveryType } from './untyped-discovery.ts';
import type { UpstreamCaller } from './upstream-request.ts';

export type TransportDependencies = {
  readonly request: GuardedFetch['request'];
  readonly fetch: GuardedFetch['fetch'];
  readonly secrets: ConnectionSecrets;
  readonly commands: OperatorCommands;
  readonly runnerOptions: CommandRunnerOptions;
  readonly maxMessageBytes: number;
  readonly random: Pick<Random, 'token'>;
  readonly getHubMark: GetHubMark;
  /** After this a program that has not answered the first request of the newest era is started in the older one; 4 s by default. */
  readonly probeMs?: number;
};
type LineDependencies = TransportDependencies & {
  readonly connectMs: number;
  readonly timeouts: CallTimeouts;
  readonly clock: Clock;
};

/**
 * A way to a server, for one client: `transport` is for the SDK's client, which negotiates the revision; requests of calls go past
 * it, to the caller. Nothing is sent before the client starts the transport.
 */
export type UpstreamLine = { readonly transport: Transport; readonly caller: UpstreamCaller };

const defaultProbeMs = 4000;

/** The limit for the first request. Over HTTP no attempt in another era follows: a slow server has the time of the connect. */
export function getProbeMs(
  { kind }: Pick<UpstreamConnection, 'kind'>,
  { connectMs, probeMs = defaultProbeMs }: Pick<LineDependencies, 'connectMs' | 'probeMs'>,
): number {
  return kind === 'stdio' ? Math.min(connectMs, probeMs) : connectMs;
}

/** Throws UPSTREAM_COMMAND_UNKNOWN. */
export async function createUpstreamLine(
  connection: UpstreamConnection,
  tokenSource: UpstreamTokenSource | undefined,
  dependencies: LineDependencies,
  events: CallerEvents,
): Promise<UpstreamLine> {
  const { kind, name } = connection;
  const { connectMs, timeouts, clock } = dependencies;
  if (kind === 'stdio') return createDuplexLine(createChildLink(connection, dependencies), events);
  const url = new URL(connection.url ?? '');
  const request = await createCredentialedRequest(connection, tokenSource, dependencies);
  if (kind === 'sse') {
    const options = { url, request, connection: name, connectMs, postMs: timeouts.totalMs, clock };
    return createDuplexLine(new SseLink(options), events);
  }
  // The rest of a destructured object costs as much as three of its members.
  const send: HttpSend = ({ method, body, headers, signal, maxBytes, createConsumer }) =>
    request(url, body === undefined ? { method, headers, signal } : { method, body, headers, signal }, {
      maxBytes,
      createConsumer,
      bytesFrom: largeTextLength,
    });
  return {
    transport: new StreamableHTTPClientTransport(url, {
      fetch: boundOpenAnswers(async (target, init) => {
        const streamsJson = isSubscriptionRequest(init?.body);
        const received = await request(target, init, { streamsJson });
        const response = streamsJson ? toEventStream(received, dependencies.maxMessageBytes) : received;
        return toFetchResponse(await addDiscoveryType(init?.body, response, events.onMissingType));
      }),
      onInsufficientScope: 'throw',
      reconnectionOptions,
    }),
    caller: new HttpCaller(send, clock, events.client, (notification) => events.onNotification(notification)),
  };
}

/** Of the stream of notifications, which an older server may end at any time; as long as the channel is open. */
const reconnectionOptions = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: Number.POSITIVE_INFINITY,
};

function createDuplexLine(link: MessageLink, events: CallerEvents): UpstreamLine {
  const caller = new DuplexCaller(link, events);
  return { transport: caller.transport, caller };
}

type Header = { readonly name: string; readonly value: string };

async function readCredentialHeader(
  { id, credential }: UpstreamConnection,
  secrets: ConnectionSecrets,
): Promise<Header | undefined> {
  return credential.kind === 'header' ? secrets.header(id) : undefined;
}

/**
 * Adds the connection's credential, only for requests to the origin of the connection, whatever address the server
 * names.
 */
async function createCredentialedRequest(
  connection: UpstreamConnection,
  tokenSource: UpstreamTokenSource | undefined,
  { request, secrets, getHubMark }: Pick<TransportDependencies, 'request' | 'secrets' | 'getHubMark'>,
): Promise<UpstreamFetch<UpstreamResponse>> {
  const { origin } = new URL(connection.url ?? '');
  const header = await readCredentialHeader(connection, secrets);
  const hubPath = getHubMark(connection.hubId);
  return (url, init = {}, options = {}) => {
    const send = (credentialHeader: Header | undefined): Promise<UpstreamResponse> => {
      const headers = addHeaders(init.headers, hubPath, credentialHeader);
      return request(url, { ...init, headers }, options);
    };
    const target = url instanceof URL ? url : new URL(url);
    if (target.origin !== origin) return send(undefined);
    return tokenSource ? sendWithToken(connection.name, tokenSource, send) : send(header);
  };
}

/** Records stay records, which cost less. A path of the request itself is longer than `hubPath`. */
function addHeaders(
  headers: RequestInit['headers'],
  hubPath: string,
  credential: Header | undefined,
): Readonly<Record<string, string>> {
  const isRecord = headers === undefined || !(headers instanceof Headers || Array.isArray(headers));
  const sent: Record<string, string> = isRecord ? { ...Object(headers) } : Object.fromEntries(new Headers(headers));
  sent[hubPathHeader] ??= hubPath;
  if (credential) sent[credential.name.toLowerCase()] = credential.value;
  return sent;
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

function createChildLink(
  connection: UpstreamConnection,
  { commands, runnerOptions, maxMessageBytes, random, clock }: LineDependencies,
): ChildLink {
  const unknownCommandError = () => vpError('UPSTREAM_COMMAND_UNKNOWN', { command: connection.command ?? '' });
  const command = commands.get(connection.command ?? '');
  if (!command) throw unknownCommandError();
  const name = `vp-hub-${connection.id}-${random.token(6)}`;
  const commandProcess = buildCommandProcess(command, runnerOptions, { label: connection.id, name });
  if (!commandProcess) throw unknownCommandError();
  return new ChildLink(createChildStarter(commandProcess), { connection: connection.name, maxMessageBytes, clock });
}
