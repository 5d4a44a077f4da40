/** The side of a scripted server that knows the protocol: one client of one revision, whatever the transport. */
import { findPayloadText, parseExact, payloadPlaceholder, placePayload } from './exact-text.ts';
import { pickForeign, RpcError } from './rpc-error.ts';
import {
  type CallEnd,
  canAsk,
  type JsonObject,
  logLevels,
  newest,
  type Outlet,
  questions,
  type Revision,
  type Step,
} from './script.ts';
import { completeArgument, getPrompt, list, readResource } from './scripted-items.ts';
import { describeTask, type ScriptedTask, ScriptedTasks, type TaskSupport, tasksExtension } from './scripted-tasks.ts';
import { TaskResponder } from './task-responder.ts';

type Change =
  | { readonly list: string }
  | { readonly uri: string }
  | { readonly elicitationId: string }
  | { readonly task: ScriptedTask };

/** Shared by the sessions of a process. */
export class World {
  readonly cancelled = new Set<string>();
  readonly listeners = new Set<(change: Change) => void>();
  readonly tasks = new ScriptedTasks();
  readonly taskSupport: TaskSupport;

  constructor(taskSupport: TaskSupport = 'none') {
    this.taskSupport = taskSupport;
  }

  notify(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }
}

const metaPrefix = 'io.modelcontextprotocol/';
const features = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};
const serverInfo = { name: 'scripted', version: '1' };

const olderTasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

function createFeatures(revision: Revision, { taskSupport }: World): JsonObject {
  if (taskSupport === 'none') return features;
  if (revision === newest) return { ...features, extensions: { [tasksExtension]: {} } };
  return revision === '2025-11-25' ? { ...features, tasks: olderTasks } : features;
}

function toChangeNotification(change: Change): { readonly method: string; readonly params?: JsonObject } {
  if ('elicitationId' in change) return { method: 'notifications/elicitation/complete', params: change };
  if ('uri' in change) return { method: 'notifications/resources/updated', params: { uri: change.uri } };
  if ('task' in change) return { method: 'notifications/tasks/status', params: describeTask(change.task) };
  return { method: `notifications/${change.list}/list_changed` };
}

/** Sends a client of the newest revision what it listens for; returns a function that ends that. */
export function startSubscription(
  world: World,
  { id, params }: JsonObject,
  send: (message: JsonObject) => void,
): () => void {
  const { notifications } = Object(params);
  const notify = (method: string, sent: JsonObject): void =>
    send({ jsonrpc: '2.0', method, params: { ...sent, _meta: { 'io.modelcontextprotocol/subscriptionId': id } } });
  const isRequested = (change: Change): boolean => {
    if ('elicitationId' in change || 'task' in change) return false;
    if ('uri' in change) return notifications.resourceSubscriptions?.includes(change.uri) === true;
    return notifications[`${change.list}ListChanged`] === true;
  };
  const listener = (change: Change): void => {
    const { method, params: sent = {} } = toChangeNotification(change);
    if (isRequested(change)) notify(method, sent);
  };
  notify('notifications/subscriptions/acknowledged', { notifications });
  world.listeners.add(listener);
  return () => void world.listeners.delete(listener);
}

export class ScriptedSession {
  readonly revision: Revision;
  readonly #world: World;
  readonly #canAsk: boolean;
  #capabilities: JsonObject = {};
  #level = 'info';
  readonly #watched = new Set<string>();
  readonly #inFlight = new Map<unknown, AbortController>();
  readonly #answers = new Map<unknown, (answer: JsonObject) => void>();
  #sendApart: ((text: string) => void) | undefined;
  #roots: unknown;
  #questionCount = 0;
  readonly #tasks: TaskResponder;

  /** `canAsk` is false where no answer could find its session. */
  constructor(revision: Revision, world: World, canAskClient: boolean) {
    this.revision = revision;
    this.#world = world;
    this.#canAsk = canAskClient;
    this.#tasks = new TaskResponder(revision, this, world, (params, outlet) =>
      this.#ask('elicitation/create', params, outlet),
    );
  }

  /** Sends on `sendApart` what belongs to no request; returns a function that ends that. */
  listen(sendApart: (text: string) => void): () => void {
    const listener = (change: Change): void => {
      if ('uri' in change && !this.#watched.has(change.uri)) return;
      if ('task' in change && change.task.owner !== this) return;
      sendApart(JSON.stringify({ jsonrpc: '2.0', ...toChangeNotification(change) }));
    };
    this.#world.listeners.add(listener);
    this.#sendApart = sendApart;
    return () => this.#world.listeners.delete(listener);
  }

  /** Handles one message; a request is answered on `outlet` at last, unless it is cancelled. */
  async handle(text: string, message: JsonObject, outlet: Outlet, leave?: AbortSignal): Promise<void> {
    const { id, method } = message;
    const params: JsonObject = Object(message.params);
    if (method === undefined) return this.#answers.get(id)?.(message);
    if (method === 'notifications/roots/list_changed') return this.#readRoots();
    if (method === 'notifications/cancelled') return this.#inFlight.get(params.requestId)?.abort();
    if (id === undefined) return;
    const controller = new AbortController();
    this.#inFlight.set(id, controller);
    const signal = leave ? AbortSignal.any([leave, controller.signal]) : controller.signal;
    try {
      const outcome = await this.#respond({ text, id, method: String(method), params, outlet, signal });
      if (signal.aborted) outlet.end();
      else outlet.send(placePayload({ jsonrpc: '2.0', id, result: outcome }, findPayloadText(text)));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      outlet.send(JSON.stringify({ jsonrpc: '2.0', id, error: error.error }));
    } finally {
      this.#inFlight.delete(id);
    }
  }

  async #respond(request: {
    readonly text: string;
    readonly id: unknown;
    readonly method: string;
    readonly params: JsonObject;
    readonly outlet: Outlet;
    readonly signal: AbortSignal;
  }): Promise<JsonObject> {
    const { method, params } = request;
    const cached = this.revision === newest ? { ttlMs: 0, cacheScope: 'private' } : {};
    const complete = this.revision === newest ? { resultType: 'complete' } : {};
    const done = (result: JsonObject, hint: JsonObject = {}): JsonObject => ({ ...result, ...hint, ...complete });
    if (this.revision === newest) this.#capabilities = Object(Object(params._meta)[`${metaPrefix}clientCapabilities`]);
    if (method === 'initialize' && this.revision !== newest) {
      this.#capabilities = Object(params.capabilities);
      return { protocolVersion: this.revision, capabilities: createFeatures(this.revision, this.#world), serverInfo };
    }
    if (method === 'server/discover' && this.revision === newest)
      return done(
        { supportedVersions: [newest], capabilities: createFeatures(newest, this.#world), serverInfo },
        cached,
      );
    if (method === 'ping') return {};
    if (method === 'logging/setLevel') this.#level = String(params.level);
    if (method === 'resources/subscribe') this.#watched.add(String(params.uri));
    if (method === 'resources/unsubscribe') this.#watched.delete(String(params.uri));
    if (/^logging|scribe$/.test(method) && this.revision !== newest) return {};
    if (/^(tools|prompts|resources|resources\/templates)\/list$/.test(method))
      return done(list(method, params, this.#getToolSupport()), cached);
    if (method === 'resources/read') return done(readResource(params, this.revision), cached);
    if (method === 'prompts/get') return done(getPrompt(params));
    if (method === 'completion/complete') return done(completeArgument(params));
    const aboutTask = await this.#tasks.respond(request, this.#capabilities);
    if (aboutTask) return aboutTask;
    if (method === 'tools/call') {
      const result = await this.#play(request);
      return result.resultType === undefined ? done(result) : result;
    }
    throw new RpcError({ code: -32601, message: 'Method not found' });
  }

  /** Of the tools that may run as tasks. */
  #getToolSupport(): TaskSupport {
    return this.revision === '2025-11-25' ? this.#world.taskSupport : 'none';
  }

  async #play({
    text,
    params,
    outlet,
    signal,
  }: {
    readonly text: string;
    readonly params: JsonObject;
    readonly outlet: Outlet;
    readonly signal: AbortSignal;
  }): Promise<JsonObject> {
    const { steps = [], end = 'text' }: { readonly steps: readonly Step[]; readonly end: CallEnd } = Object(
      params.arguments,
    );
    const meta: JsonObject = Object(params._meta);
    const continued = typeof params.requestState === 'string' ? Object(parseExact(params.requestState)) : undefined;
    const answers: unknown[] = continued ? [...continued.answers] : [];
    const notify = (method: string, sent: unknown): void =>
      outlet.send(JSON.stringify({ jsonrpc: '2.0', method, params: sent }));
    for (let index: number = continued?.index ?? 0; index < steps.length && !signal.aborted; index += 1) {
      const step = steps[index];
      if (step?.do === 'progress' && meta.progressToken !== undefined)
        notify('notifications/progress', { progressToken: meta.progressToken, ...step.report });
      if (step?.do === 'log' && this.#wantsLog(step.level, meta)) {
        const { level, data, logger } = step;
        notify('notifications/message', { level, ...(logger === undefined ? {} : { logger }), data });
      }
      if (step?.do === 'echo' && this.#wantsLog('emergency', meta))
        notify('notifications/message', { level: 'emergency', data: parseExact(findPayloadText(text) ?? 'null') });
      if (step?.do === 'break') await outlet.breakOff();
      if (step?.do === 'change') this.#world.notify({ list: step.list });
      if (step?.do === 'complete') this.#world.notify({ elicitationId: step.elicitationId });
      if (step?.do === 'update') this.#world.notify({ uri: step.uri });
      if (step?.do === 'end-task') this.#tasks.end(step.key, step.status);
      if (step?.do === 'hang') await this.#hang(step.key, signal);
      if (step?.do !== 'ask') continue;
      if (!this.#canAsk || !canAsk(step.kind, this.#capabilities)) {
        answers.push(`the client cannot be asked: ${step.kind}`);
        continue;
      }
      const { method, params: question } = questions[step.kind];
      if (this.revision !== newest) answers.push(await this.#ask(method, question, outlet));
      else {
        const answer = Object(params.inputResponses)[`a${index}`];
        if (answer === undefined)
          return {
            resultType: 'input_required',
            inputRequests: { [`a${index}`]: { method, params: question } },
            requestState: JSON.stringify({ index, answers }),
          };
        answers.push(answer);
      }
    }
    if (end === 'roots') return { content: [{ type: 'text', text: JSON.stringify(this.#roots ?? null) }] };
    return finish(end, { answers, meta: pickForeign(meta), payload: findPayloadText(text), world: this.#world });
  }

  #wantsLog(level: string, meta: JsonObject): boolean {
    const minLevel = this.revision === newest ? meta[`${metaPrefix}logLevel`] : this.#level;
    return typeof minLevel === 'string' && logLevels.indexOf(level) >= logLevels.indexOf(minLevel);
  }

  async #hang(key: string, signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    this.#world.cancelled.add(key);
  }

  async #readRoots(): Promise<void> {
    const send = this.#sendApart;
    if (send) this.#roots = await this.#ask('roots/list', {}, { send });
  }

  async #ask(method: string, params: JsonObject, outlet: Pick<Outlet, 'send'>): Promise<unknown> {
    this.#questionCount += 1;
    const id = `question-${this.#questionCount}`;
    const answered = new Promise<JsonObject>((resolve) => void this.#answers.set(id, resolve));
    outlet.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const { result, error } = await answered;
    return result ?? { error };
  }
}

function finish(
  end: CallEnd,
  {
    answers,
    meta,
    payload,
    world,
  }: { answers: unknown[]; meta: JsonObject; payload: string | undefined; world: World },
): JsonObject {
  const textBlock = (text: string): JsonObject => ({ type: 'text', text });
  const content = [textBlock(JSON.stringify({ answers, meta, payload }))];
  if (end === 'toolError') return { content, isError: true };
  if (end === 'structured')
    return {
      content,
      structuredContent: payload === undefined ? {} : { payload: payloadPlaceholder, end: 1 },
      _meta: { 'example.com/echo': parseExact(payload ?? 'null') },
    };
  if (end === 'refused')
    throw new RpcError({ code: 7, message: 'refused', data: { sent: parseExact(payload ?? 'null') } });
  if (end === 'contents')
    return {
      content: [
        { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations: { audience: ['user'], priority: 0.5 } },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'note://one', text: 'one' } },
        { type: 'resource_link', uri: 'note://two', name: 'two', _meta: { 'example.com/a': 1 } },
      ],
    };
  if (typeof end === 'string') return { content };
  if ('cancelled' in end) return { content: [textBlock(String(world.cancelled.has(end.cancelled)))] };
  throw new RpcError(end);
}
