/**
 * One open client of an upstream server: sends requests and assigns incoming messages to their calls.
 *
 * Length: the two kinds of requests share the client, its calls and its subscriptions.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  Client,
  type ClientCapabilities,
  type JSONRPCRequest,
  LOG_LEVEL_META_KEY,
  type Notification,
  ProtocolError,
  ProtocolErrorCode,
  type StandardSchemaV1,
  type SubscriptionFilter,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import { closeClient } from './close-client.ts';
import { type CallTimeouts, Deadline } from './deadline.ts';
import { isLogLevel } from './log-level.ts';
import { canSendStateless, type JsonRpcPost, StatelessClient } from './stateless-client.ts';
import {
  findConcernedCall,
  type InFlightCall,
  runAsCall,
  runOutsideCalls,
  type UpstreamCallOptions,
} from './upstream-call.ts';

/** Notifications of a server that concern all callers. */
export type ChannelListener = {
  onChanged(list: ChangedList): void;
  onUpdated(uri: string): void;
  onClosed(): void;
};
export type ChangedList = 'tools' | 'prompts' | 'resources';

export type ChannelOptions = {
  readonly connection: string;
  readonly version: string;
  readonly capabilities: ClientCapabilities;
  /** `auto` detects the server's protocol era; `legacy` skips the detection. */
  readonly negotiation: 'auto' | 'legacy';
  readonly connectMs: number;
  readonly timeouts: CallTimeouts;
  readonly clock: Clock;
  readonly listener: ChannelListener;
  /** For calls that need no client; undefined if all do. */
  readonly post?: JsonRpcPost | undefined;
};

const changedLists: Readonly<Record<string, ChangedList>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
};
/** Longer than any call: our own deadline applies. */
const noTimeoutMs = 24 * 3_600_000;
/** Time to handle the last message after the end of a stream. */
const streamSettleMs = 250;
const resubscribeDelayMs = 5000;

/** Results are passed through; the gateway validates them. */
const anyResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'vp',
    validate: (value) => (isObject(value) ? { value } : { issues: [{ message: 'a result must be an object' }] }),
  },
};

export class Channel {
  readonly client: Client;
  readonly #options: ChannelOptions;
  readonly #inFlight = new Set<InFlightCall>();
  readonly #stateless: StatelessClient | undefined;
  #logLevel: string | undefined;
  #closed = false;

  private constructor(options: ChannelOptions) {
    this.#options = options;
    const { version, capabilities, negotiation, connectMs } = options;
    const clientInfo = { name: 'vp', title: 'vp hub', version };
    this.client = new Client(clientInfo, {
      capabilities,
      versionNegotiation: { mode: negotiation, probe: { timeoutMs: Math.min(connectMs, 4000) } },
      inputRequired: { autoFulfill: false },
    });
    this.#stateless =
      options.post &&
      new StatelessClient(options.post, clientInfo, (notification) => this.#onNotification(notification));
    this.client.onerror = () => {};
    this.client.onclose = () => {
      this.#closed = true;
      options.listener.onClosed();
    };
    this.client.fallbackRequestHandler = (request) => this.#onRequest(request);
    this.client.fallbackNotificationHandler = async (notification) => this.#onNotification(notification);
  }

  /** Throws what the client throws. */
  static async open(transport: Transport, options: ChannelOptions): Promise<Channel> {
    const channel = new Channel(options);
    await runOutsideCalls(() => channel.client.connect(transport, { timeout: options.connectMs }));
    if (channel.isModern) void runOutsideCalls(() => channel.#subscribeToChanges());
    return channel;
  }

  get isModern(): boolean {
    return this.client.getProtocolEra() === 'modern';
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get isIdle(): boolean {
    return this.#inFlight.size === 0;
  }

  /** True if the server keeps state for this client. */
  get hasSession(): boolean {
    return this.client.transport?.sessionId !== undefined;
  }

  /** Sends a request; the result may be `input_required`. Throws what the client throws, UPSTREAM_TIMED_OUT. */
  async send(
    method: string,
    params: Record<string, unknown>,
    call: UpstreamCallOptions,
  ): Promise<Record<string, unknown>> {
    const { clock } = this.#options;
    const { timeoutMs = this.#options.timeouts.idleMs } = call;
    const timeouts = { idleMs: timeoutMs, totalMs: Math.max(timeoutMs, this.#options.timeouts.totalMs) };
    const deadline = new Deadline(clock, timeouts, call.signal);
    const streamBroken = Promise.withResolvers<never>();
    streamBroken.promise.catch(() => {});
    const inFlight: InFlightCall = {
      maxBytes: call.maxResponseBytes,
      call: call.askCaller
        ? { ...call, askCaller: (question) => deadline.pauseDuring(() => askCaller(call, question)) }
        : call,
      onStreamEnd: (error, resumable) => {
        if (!resumable) clock.after(streamSettleMs, () => streamBroken.reject(error ?? new Error('the stream ended')));
      },
    };
    this.#inFlight.add(inFlight);
    try {
      await this.#setLogLevel(call);
      const response = runAsCall(inFlight, () => this.#request(method, params, call, deadline));
      return await Promise.race([response, streamBroken.promise]);
    } catch (error) {
      if (!deadline.expired) throw error;
      const timeout_s = Math.round(timeouts.idleMs / 1000);
      throw vpError('UPSTREAM_TIMED_OUT', { connection: this.#options.connection, timeout_s });
    } finally {
      deadline.dispose();
      this.#inFlight.delete(inFlight);
    }
  }

  #request(method: string, params: Record<string, unknown>, call: UpstreamCallOptions, deadline: Deadline) {
    const { onProgress, headers } = call;
    if (this.isModern && this.#stateless && canSendStateless(method, params, call)) {
      const revision = this.client.getNegotiatedProtocolVersion() ?? '';
      return this.#stateless.send({ method, params: this.#withCallMeta(params, call), headers, revision }, deadline);
    }
    const onprogress = (progress: Record<string, unknown>): void => {
      deadline.touch();
      onProgress?.(progress);
    };
    return this.client.request({ method, params: this.#withCallMeta(params, call) }, anyResult, {
      signal: deadline.signal,
      timeout: noTimeoutMs,
      allowInputRequired: true,
      ...(onProgress ? { onprogress } : {}),
      ...(headers ? { headers } : {}),
    });
  }

  /** Servers of the newest era get the caller's capabilities with each request. */
  #withCallMeta(
    params: Record<string, unknown>,
    { capabilities, logLevel }: UpstreamCallOptions,
  ): Record<string, unknown> {
    if (!this.isModern) return params;
    const existingMeta = isObject(params._meta) ? params._meta : {};
    const meta = {
      [CLIENT_CAPABILITIES_META_KEY]: capabilities,
      ...(logLevel ? { [LOG_LEVEL_META_KEY]: logLevel } : {}),
    };
    return { ...params, _meta: { ...existingMeta, ...meta } };
  }

  async #setLogLevel({ logLevel }: UpstreamCallOptions): Promise<void> {
    if (logLevel === undefined || logLevel === this.#logLevel || this.isModern) return;
    if (!this.client.getServerCapabilities()?.logging || !isLogLevel(logLevel)) return;
    this.#logLevel = logLevel;
    await this.client.setLoggingLevel(logLevel, { timeout: this.#options.connectMs });
  }

  async #onRequest({ method, params }: JSONRPCRequest): Promise<Record<string, unknown>> {
    const call = findConcernedCall(this.#inFlight);
    if (!call?.askCaller)
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'the caller does not support this request');
    return call.askCaller({ method, params: { ...params } });
  }

  #onNotification({ method, params = {} }: Notification): void {
    const { listener } = this.#options;
    const list = changedLists[method];
    if (list) listener.onChanged(list);
    else if (method === 'notifications/resources/updated' && typeof params.uri === 'string')
      listener.onUpdated(params.uri);
    else if (method === 'notifications/message') findConcernedCall(this.#inFlight)?.onLog?.({ ...params });
  }

  /** Servers of the newest era send changes on a subscription, which is opened again when it breaks. */
  async #subscribeToChanges(): Promise<void> {
    const { tools, prompts, resources } = this.client.getServerCapabilities() ?? {};
    const filter: SubscriptionFilter = {
      ...(tools?.listChanged ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged ? { promptsListChanged: true } : {}),
      ...(resources?.listChanged ? { resourcesListChanged: true } : {}),
    };
    if (Object.keys(filter).length === 0) return;
    while (!this.#closed) {
      const subscription = await this.client.listen(filter, { timeout: noTimeoutMs }).catch(() => undefined);
      await subscription?.closed;
      await new Promise<void>((resolve) => this.#options.clock.after(resubscribeDelayMs, resolve));
    }
  }

  /** Returns a function that stops watching. */
  async watch(uri: string): Promise<() => Promise<void>> {
    const timeout = this.#options.connectMs;
    if (this.isModern) {
      const subscription = await this.client.listen({ resourceSubscriptions: [uri] }, { timeout });
      return () => subscription.close();
    }
    await this.client.subscribeResource({ uri }, { timeout });
    return () => this.client.unsubscribeResource({ uri }, { timeout }).then(() => {});
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stateless?.close();
    await runOutsideCalls(() => closeClient(this.client, this.#options.clock));
  }
}

async function askCaller(
  call: UpstreamCallOptions,
  question: Parameters<NonNullable<UpstreamCallOptions['askCaller']>>[0],
) {
  if (!call.askCaller)
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'the caller does not support this request');
  return call.askCaller(question);
}
