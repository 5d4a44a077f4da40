/** A client that records every message as it arrives, in each revision, with a session or without, on the client of Node.js. */
import { Agent, type IncomingMessage, request as sendHttp } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { findPayloadText, parseExact, placePayload } from './exact-text.ts';
import { type Answers, answerText, createCapabilities, type JsonObject, newest, type Revision } from './script.ts';
import { tasksExtension } from './scripted-tasks.ts';

export type ClientKind = {
  readonly revision: Revision;
  readonly hasSession: boolean;
  readonly answersQuestions: boolean;
  /** It declares the extension for tasks, in the newest revision. */
  readonly hasTasks?: boolean;
};

export type RequestOptions = {
  readonly payload?: string | undefined;
  /** Loses the connection after its first event, and comes back with `Last-Event-ID`. */
  readonly losesConnection?: boolean;
  /** Cancels when the first message arrives. */
  readonly cancels?: boolean;
};

/** The messages of one request in their order; the last one is its response, unless it is cancelled. */
export type Trace = JsonObject[];

type OpenRequest = {
  readonly ids: Set<unknown>;
  readonly trace: Trace;
  readonly options: RequestOptions;
  lastEventId: string | undefined;
  response: IncomingMessage | undefined;
  /** Of a newest server that asks. */
  continuation: JsonObject | undefined;
  hasLost: boolean;
};

const prefix = 'io.modelcontextprotocol/';
const info = { name: 'wire', version: '1' };
const headerMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

export class WireClient {
  readonly kind: ClientKind;
  /** What arrived on the stream that belongs to no request. */
  readonly apart: JsonObject[] = [];
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #capabilities: JsonObject;
  #sessionId: string | undefined;
  #listening: IncomingMessage | undefined;
  #requestCount = 0;
  #rootCount = 0;

  constructor(url: string, kind: ClientKind) {
    this.#url = url;
    this.kind = kind;
    const extensions = kind.hasTasks && kind.revision === newest ? { extensions: { [tasksExtension]: {} } } : {};
    this.#capabilities = { ...createCapabilities(kind.revision, kind.answersQuestions), ...extensions };
  }

  get isNewest(): boolean {
    return this.kind.revision === newest;
  }

  async start(watched: string): Promise<void> {
    if (this.isNewest) return this.#listen(watched);
    if (!this.kind.hasSession) return;
    const params = { protocolVersion: this.kind.revision, capabilities: this.#capabilities, clientInfo: info };
    const response = await this.#send(
      'POST',
      JSON.stringify({ jsonrpc: '2.0', id: 'start', method: 'initialize', params }),
    );
    this.#sessionId = String(response.headers['mcp-session-id']);
    await readText(response);
    await this.notify('notifications/initialized');
    this.#listening = await this.#send('GET');
    this.#readApart(this.#listening);
  }

  /** Ends everything that it has open. */
  async close(): Promise<void> {
    this.#listening?.destroy();
    if (this.#sessionId !== undefined) (await this.#send('DELETE')).resume();
    this.#agent.destroy();
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    (await this.#send('POST', JSON.stringify({ jsonrpc: '2.0', method, ...(params ? { params } : {}) }))).resume();
  }

  /** The only root that the client has now. */
  get root(): string {
    return `root-${this.#rootCount}`;
  }

  /** Has another root from now on, and says so. */
  async changeRoots(): Promise<void> {
    this.#rootCount += 1;
    await this.notify('notifications/roots/list_changed');
  }

  /** Sends one request, and answers the questions of the server. */
  async request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<Trace> {
    const trace: Trace = [];
    let continuation: JsonObject = {};
    for (;;) {
      const { id, message } = this.#createMessage(method, { ...params, ...continuation });
      const open = this.#open([id], trace, options);
      const text = placePayload(message, options.payload);
      await this.#exchange(open, text, this.#createHeaders(method, params));
      if (!open.continuation) return trace;
      continuation = open.continuation;
    }
  }

  /** Sends several requests in one message. */
  async batch(requests: readonly (readonly [method: string, params: JsonObject])[]): Promise<readonly Trace[]> {
    const messages = requests.map(([method, params]) => this.#createMessage(method, params));
    const trace: Trace = [];
    const open = this.#open(
      messages.map(({ id }) => id),
      trace,
      {},
    );
    await this.#exchange(open, JSON.stringify(messages.map(({ message }) => message)), {});
    const outcomes = messages.map(({ id }) => trace.filter((message) => message.id === id).map(withoutId));
    return [...outcomes, trace.filter(({ id }) => id === undefined)];
  }

  #open(ids: readonly unknown[], trace: Trace, options: RequestOptions): OpenRequest {
    return {
      ids: new Set(ids),
      trace,
      options,
      lastEventId: undefined,
      response: undefined,
      continuation: undefined,
      hasLost: false,
    };
  }

  /** Ids are numbers and texts in turn. */
  #createMessage(method: string, params: JsonObject): { readonly id: unknown; readonly message: JsonObject } {
    this.#requestCount += 1;
    const id = this.#requestCount % 2 === 0 ? this.#requestCount : `r-${this.#requestCount}`;
    const envelope = {
      [`${prefix}protocolVersion`]: newest,
      [`${prefix}clientInfo`]: info,
      [`${prefix}clientCapabilities`]: this.#capabilities,
    };
    const meta = { ...(this.isNewest ? envelope : {}), ...Object(params._meta) };
    const fullParams = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
    const sent = Object.keys(fullParams).length > 0 ? { params: fullParams } : {};
    return { id, message: { jsonrpc: '2.0', id, method, ...sent } };
  }

  #createHeaders(method: string, params: JsonObject): Record<string, string> {
    if (!this.isNewest) return {};
    const name = params[headerMembers[method] ?? ''];
    return { 'Mcp-Method': method, ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}) };
  }

  async #exchange(open: OpenRequest, text: string, headers: Record<string, string>): Promise<void> {
    let response = await this.#send('POST', text, headers);
    for (;;) {
      open.response = response;
      await this.#read(open, response);
      if (open.ids.size === 0 || open.options.cancels || open.lastEventId === undefined) break;
      response = await this.#send('GET', undefined, { 'Last-Event-ID': open.lastEventId });
    }
    if (open.ids.size > 0 && !open.options.cancels) open.trace.push({ lost: true, status: response.statusCode });
  }

  async #read(open: OpenRequest, response: IncomingMessage): Promise<void> {
    if (!response.headers['content-type']?.startsWith('text/event-stream')) {
      const text = await readText(response);
      const body = text === '' ? [] : parseExact(text);
      for (const message of Array.isArray(body) ? body : [body]) this.#onMessage(open, Object(message), text);
      return;
    }
    try {
      for await (const { id, data } of readEvents(response)) {
        if (id !== undefined) open.lastEventId = id;
        if (data !== '') this.#onMessage(open, Object(parseExact(data)), data);
        if (!open.options.losesConnection || open.hasLost || id === undefined) continue;
        open.hasLost = true;
        response.destroy();
        return;
      }
    } catch (error) {
      if (!response.destroyed) throw error;
    }
  }

  #onMessage(open: OpenRequest, message: JsonObject, text: string): void {
    const { id, method, params, result } = message;
    if (method !== undefined && id === undefined) open.trace.push({ method, params });
    else if (method !== undefined) this.#answer(open.trace, message, open.options.payload);
    else if (open.ids.delete(id)) {
      this.#onResponse(open, message, Object(result));
      // In which order its members came.
      if (Object(result).structuredContent !== undefined) open.trace.push({ sent: findPayloadText(text) });
    } else open.trace.push({ stray: message });
    if (open.options.cancels && open.ids.size > 0) this.#cancel(open);
  }

  #onResponse(open: OpenRequest, message: JsonObject, result: JsonObject): void {
    if (result.resultType !== 'input_required') {
      open.trace.push(message);
      return;
    }
    const inputResponses = Object.entries(Object(result.inputRequests)).map(([key, question]) => {
      const { method, params = {} } = Object(question);
      open.trace.push({ ask: method, params });
      return [key, parseExact(answerText(method, params, this.#getAnswers(open.options.payload)))];
    });
    open.continuation = {
      inputResponses: Object.fromEntries(inputResponses),
      ...(result.requestState === undefined ? {} : { requestState: result.requestState }),
    };
  }

  #getAnswers(payload = 'null'): Answers {
    return { payload, root: this.root };
  }

  #answer(trace: JsonObject[], { id, method, params = {} }: JsonObject, payload?: string): void {
    trace.push({ ask: method, params });
    const answer = answerText(String(method), Object(params), this.#getAnswers(payload));
    const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${answer}}`;
    void this.#send('POST', text).then((response) => response.resume());
  }

  #cancel(open: OpenRequest): void {
    if (this.isNewest) open.response?.destroy();
    else for (const requestId of open.ids) void this.notify('notifications/cancelled', { requestId, reason: 'enough' });
  }

  async #listen(watched: string): Promise<void> {
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [watched],
    };
    const { message } = this.#createMessage('subscriptions/listen', { notifications });
    const headers = this.#createHeaders('subscriptions/listen', {});
    this.#listening = await this.#send('POST', JSON.stringify(message), headers);
    this.#readApart(this.#listening);
  }

  #readApart(response: IncomingMessage): void {
    const read = async (): Promise<void> => {
      for await (const { data } of readEvents(response)) {
        const message = data === '' ? undefined : Object(JSON.parse(data));
        if (message?.id !== undefined) this.#answer(this.apart, message);
        else if (message) this.apart.push(message);
      }
    };
    read().catch(() => {});
  }

  #send(method: string, body?: string, extra: Record<string, string> = {}): Promise<IncomingMessage> {
    const headers: Record<string, string> = {
      Accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      Authorization: 'Bearer ann',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(this.#sessionId === undefined ? {} : { 'Mcp-Session-Id': this.#sessionId }),
      ...(body?.includes('"method":"initialize"') ? {} : { 'MCP-Protocol-Version': this.kind.revision }),
      ...extra,
    };
    return new Promise((resolve, reject) => {
      const request = sendHttp(this.#url, { method, headers, agent: this.#agent }, resolve);
      // The server has closed an idle connection in the meantime.
      const isLost = (error: Error): boolean => request.reusedSocket && Object(error).code === 'ECONNRESET';
      request.on('error', (error) => (isLost(error) ? resolve(this.#send(method, body, extra)) : reject(error)));
      request.end(body);
    });
  }
}

function withoutId({ id: _id, ...rest }: JsonObject): JsonObject {
  return rest;
}

type ServerEvent = { readonly id: string | undefined; readonly data: string };

async function* readEvents(response: IncomingMessage): AsyncGenerator<ServerEvent> {
  let rest = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    const blocks = `${rest}${chunk}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const find = (name: string): string | undefined =>
        lines
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trimStart();
      if (find('data') !== undefined || find('id') !== undefined) yield { id: find('id'), data: find('data') ?? '' };
    }
  }
}
