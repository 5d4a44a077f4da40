/** The transports of scripted servers over HTTP, on the server of Node.js. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { Test } from 'tap';
import { parseExact } from './exact-text.ts';
import { type JsonObject, newest, type Outlet, type Revision } from './script.ts';
import { ScriptedSession, startSubscription, World } from './scripted-session.ts';
import type { TaskSupport } from './scripted-tasks.ts';

export type HttpKind = 'sessions' | 'stateless' | 'sse';

type StoredStream = { readonly events: string[]; response: ServerResponse | undefined; isDone: boolean };

type HttpSession = { readonly session: ScriptedSession; readonly streams: StoredStream[] };

const eventHeaders = { 'Content-Type': 'text/event-stream' };
const jsonHeaders = { 'Content-Type': 'application/json' };

/** The response to one request: JSON, or an event stream as soon as a message precedes it; with ids if it is stored. */
class ResponseOutlet implements Outlet {
  readonly #response: ServerResponse;
  readonly #stored: { readonly stream: StoredStream; readonly index: number } | undefined;
  readonly #isResponse: (text: string) => boolean;
  #isStream = false;

  constructor(response: ServerResponse, owner: HttpSession | undefined, isResponse: (text: string) => boolean) {
    this.#response = response;
    this.#isResponse = isResponse;
    if (!owner) return;
    const stream: StoredStream = { events: [], response, isDone: false };
    this.#stored = { stream, index: owner.streams.push(stream) - 1 };
  }

  send(text: string): void {
    if (this.#response.destroyed && !this.#stored) return;
    const isLast = this.#isResponse(text);
    if (!this.#isStream && isLast) {
      this.#response.writeHead(200, jsonHeaders).end(text);
      return;
    }
    this.#openStream();
    this.#write(text, isLast);
  }

  #openStream(): void {
    if (!this.#isStream) this.#response.writeHead(200, eventHeaders);
    this.#isStream = true;
  }

  #write(text: string, isLast: boolean): void {
    const target = this.#stored?.stream ?? { response: this.#response, events: [], isDone: false };
    const id = this.#stored ? `id: ${this.#stored.index}-${target.events.length}\nretry: 1\n` : '';
    const event = `event: message\n${id}data: ${text}\n\n`;
    target.events.push(event);
    target.isDone = isLast;
    target.response?.write(event);
    if (isLast) target.response?.end();
  }

  end(): void {
    const target = this.#stored?.stream ?? { response: this.#response, isDone: false };
    target.isDone = true;
    target.response?.end();
  }

  async breakOff(): Promise<void> {
    const stream = this.#stored?.stream;
    // Without an event before, its client would not know where to continue.
    if (!stream || stream.events.length === 0 || !stream.response) return;
    const { response } = stream;
    stream.response = undefined;
    await new Promise<void>((resolve) => response.end(resolve));
  }
}

export type ScriptedServer = { readonly url: string; readonly world: World };

export async function startScriptedServer(
  t: Pick<Test, 'teardown'>,
  revision: Revision,
  kind: HttpKind,
  taskSupport: TaskSupport = 'none',
): Promise<ScriptedServer> {
  const world = new World(taskSupport);
  const sessions = new Map<string, HttpSession>();
  const pipes = new Map<string, { readonly session: ScriptedSession; readonly response: ServerResponse }>();

  function listen(session: ScriptedSession, response: ServerResponse): void {
    response.writeHead(200, eventHeaders).flushHeaders();
    const stop = session.listen((text) => response.write(`event: message\ndata: ${text}\n\n`));
    response.on('close', stop);
  }

  function resume({ streams, session }: HttpSession, request: IncomingMessage, response: ServerResponse): void {
    const [, index, event] = /^(\d+)-(\d+)$/.exec(String(request.headers['last-event-id'])) ?? [];
    const stream = streams[Number(index)];
    if (!stream) {
      listen(session, response);
      return;
    }
    response.writeHead(200, eventHeaders);
    for (const missed of stream.events.slice(Number(event) + 1)) response.write(missed);
    stream.response = response;
    if (stream.isDone) response.end();
    else response.flushHeaders();
  }

  function subscribe(message: JsonObject, response: ServerResponse): void {
    response.writeHead(200, eventHeaders);
    const stop = startSubscription(world, message, (sent) => {
      response.write(`event: message\ndata: ${JSON.stringify(sent)}\n\n`);
    });
    response.on('close', stop);
  }

  async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    const body = parseExact(text);
    const messages: JsonObject[] = Array.isArray(body) ? body : [Object(body)];
    const pipe = pipes.get(String(request.url));
    if (pipe) {
      response.writeHead(202).end();
      const send = (sent: string): void => void pipe.response.write(`event: message\ndata: ${sent}\n\n`);
      for (const message of messages)
        await pipe.session.handle(text, message, { send, breakOff: async () => {}, end: () => {} });
      return;
    }
    const [first = {}] = messages;
    if (first.method === 'subscriptions/listen' && revision === newest) return subscribe(first, response);
    const id = request.headers['mcp-session-id'];
    let owner = typeof id === 'string' ? sessions.get(id) : undefined;
    if (kind === 'sessions' && revision !== newest) {
      if (first.method === 'initialize') {
        owner = { session: new ScriptedSession(revision, world, true), streams: [] };
        const newId = crypto.randomUUID();
        sessions.set(newId, owner);
        response.setHeader('Mcp-Session-Id', newId);
      }
      if (!owner)
        return void response
          .writeHead(404, jsonHeaders)
          .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
    }
    const session = owner?.session ?? new ScriptedSession(revision, world, revision === newest);
    const requests = messages.filter((message) => message.method !== undefined && message.id !== undefined);
    if (requests.length === 0) response.writeHead(202).end();
    const left = new AbortController();
    // In the newest revision the end of the request is its cancellation.
    response.on('close', () => revision === newest && left.abort());
    let openCount = requests.length;
    const isLast = (sent: string): boolean => !('method' in JSON.parse(sent)) && --openCount === 0;
    const outlet = new ResponseOutlet(response, requests.length > 0 ? owner : undefined, isLast);
    await Promise.all(messages.map((message) => session.handle(text, message, outlet, left.signal)));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = sessions.get(String(request.headers['mcp-session-id']));
    if (request.method === 'POST') return post(request, response);
    if (request.method === 'GET' && kind === 'sse') {
      const piped = new ScriptedSession(revision, world, true);
      const address = `/messages/${crypto.randomUUID()}`;
      pipes.set(address, { session: piped, response });
      response.on('close', () => pipes.delete(address));
      listen(piped, response);
      response.write(`event: endpoint\ndata: ${address}\n\n`);
      return;
    }
    if (request.method === 'GET' && session) return resume(session, request, response);
    if (request.method === 'DELETE') sessions.delete(String(request.headers['mcp-session-id']));
    response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
  }

  const server: Server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(Object(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  t.teardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${port}/mcp`, world };
}
