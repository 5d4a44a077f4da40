/** The way to the server of a connection: Streamable HTTP, the older HTTP with SSE, or a child's standard streams. */
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { Answer, AnswerWishes } from '../../outbound/answer-reader.ts';
import { type Ask, type GuardedFetch, responseOf } from '../../outbound/guarded-fetch.ts';
import type { Connection, ConnectionSecrets } from '../words.ts';
import { currentCall } from './call.ts';
import { ChildTransport } from './child-transport.ts';
import type { Grant } from './grants.ts';
import { type CommandRunning, type OperatorCommands, programOf } from './operator-commands.ts';
import { startOf } from './operators-program.ts';
import { withOrderedAnswers } from './ordered-answers.ts';
import { type Post, unread } from './plain-call.ts';

/** What transports are made with. */
export type TransportParts = {
  readonly ask: GuardedFetch['ask'];
  readonly fetch: GuardedFetch['fetch'];
  readonly secrets: ConnectionSecrets;
  readonly commands: OperatorCommands;
  readonly running: CommandRunning;
  readonly messageLimitBytes: number;
  readonly random: Pick<Random, 'token'>;
};

/** Makes a transport, which is not started yet. Throws UPSTREAM_COMMAND_UNKNOWN. */
export async function transportTo(
  connection: Connection,
  grant: Grant | undefined,
  parts: TransportParts,
): Promise<Transport> {
  if (connection.kind === 'stdio') return childOf(connection, parts);
  const url = new URL(connection.url ?? '');
  if (connection.kind === 'sse') return sseTo(url, connection, grant, parts);
  const fetch = await credentialedFetch(connection, grant, parts);
  return new StreamableHTTPClientTransport(url, { fetch, onInsufficientScope: 'throw' });
}

/** One whose stream ended is over: its server has forgotten us with it, whatever the stream's reader would try. */
async function sseTo(url: URL, connection: Connection, grant: Grant | undefined, parts: TransportParts) {
  const ended = { onStreamEnd: () => void transport.close() };
  const fetch = await credentialedFetch(connection, grant, parts, ended);
  const transport: SSEClientTransport = new SSEClientTransport(url, { fetch });
  return withOrderedAnswers(transport);
}

/** The way for single calls of the newest era; undefined where there is no HTTP to post them by. */
export async function postTo(
  connection: Connection,
  grant: Grant | undefined,
  parts: Pick<TransportParts, 'ask' | 'secrets'>,
): Promise<Post | undefined> {
  if (connection.kind !== 'http') return undefined;
  const url = new URL(connection.url ?? '');
  const ask = await credentialed(connection, grant, parts);
  return (body, headers, signal) => ask(url, { method: 'POST', headers, body, signal });
}

type Header = { readonly name: string; readonly value: string };

async function headerOf({ id, credential }: Connection, secrets: ConnectionSecrets): Promise<Header | undefined> {
  return credential.kind === 'header' ? secrets.header(id) : undefined;
}

async function credentialedFetch(
  ...given: Parameters<typeof credentialed>
): Promise<(url: string | URL, init?: RequestInit) => Promise<Response>> {
  const ask = await credentialed(...given);
  return async (url, init) => responseOf(await ask(url, init));
}

/** Asks with a connection's credential, which goes to the origin of the connection only, whatever address the server names. */
async function credentialed(
  connection: Connection,
  grant: Grant | undefined,
  { ask, secrets }: Pick<TransportParts, 'ask' | 'secrets'>,
  beside: AnswerWishes = {},
): Promise<Ask<Answer>> {
  const { origin } = new URL(connection.url ?? '');
  const header = await headerOf(connection, secrets);
  return async (url, init = {}) => {
    const flying = init.method === 'POST' ? (currentCall() ?? {}) : beside;
    const send = (own: Header | undefined): Promise<Answer> => {
      if (!own) return ask(url, init, flying);
      const headers = new Headers(init.headers);
      headers.set(own.name, own.value);
      return ask(url, { ...init, headers }, flying);
    };
    const to = url instanceof URL ? url : new URL(url);
    if (to.origin !== origin) return send(undefined);
    return grant ? sendGranted(connection.name, grant, send) : send(header);
  };
}

/** A token that the server does not take is renewed, and the same is sent once more: it did nothing with it. */
async function sendGranted(
  connection: string,
  grant: Grant,
  send: (header: Header) => Promise<Answer>,
): Promise<Answer> {
  const sendWith = async (token: string): Promise<Answer> => {
    const answer = await send({ name: 'Authorization', value: `Bearer ${token}` });
    demandScope(connection, answer);
    return answer;
  };
  const token = await grant.token();
  const answer = await sendWith(token);
  if (answer.status !== 401) return answer;
  await unread(answer);
  return sendWith(await grant.instead(token));
}

/** Throws UPSTREAM_SCOPE_NEEDED where the token is good and its leave is not enough. */
function demandScope(connection: string, { status, headers }: Answer): void {
  const { 'www-authenticate': challenge = '' } = headers;
  if (status !== 403 || !/\berror="?insufficient_scope\b/.test(challenge)) return;
  const [, scope = 'more than it has'] = /\bscope="([\w:./ -]{1,200})"/.exec(challenge) ?? [];
  throw vpError('UPSTREAM_SCOPE_NEEDED', { connection, scope });
}

function childOf(
  connection: Connection,
  { commands, running, messageLimitBytes, random }: TransportParts,
): ChildTransport {
  const unknown = () => vpError('UPSTREAM_COMMAND_UNKNOWN', { command: connection.command ?? '' });
  const command = commands.get(connection.command ?? '');
  if (!command) throw unknown();
  const name = `vp-hub-${connection.id}-${random.token(6)}`;
  const program = programOf(command, running, { label: connection.id, name });
  if (!program) throw unknown();
  return withOrderedAnswers(new ChildTransport(startOf(program), messageLimitBytes));
}
