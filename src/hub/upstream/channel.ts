/** One open client of an upstream server: requests out, and what comes back beside answers handed to whom it concerns. */
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
import { asCall, concernedCall, type FlyingCall, forNoCall, type UpstreamCall } from './call.ts';
import { type CallTimes, Deadline } from './deadline.ts';
import { closeClient } from './end-session.ts';
import { isLogLevel } from './log-level.ts';
import { isPlain, PlainCalls, type Post } from './plain-call.ts';

/** What servers say without being asked, once for all callers. */
export type ChannelListener = {
  onChanged(list: ChangedList): void;
  onUpdated(uri: string): void;
  onClosed(): void;
};
/** A list that has changed. */
export type ChangedList = 'tools' | 'prompts' | 'resources';

/** How a channel is opened. */
export type ChannelOptions = {
  readonly connection: string;
  readonly version: string;
  readonly capabilities: ClientCapabilities;
  /** `auto` asks the server for its era; `legacy` does without the question. */
  readonly negotiation: 'auto' | 'legacy';
  readonly connectMs: number;
  readonly limits: CallTimes;
  readonly clock: Clock;
  readonly listener: ChannelListener;
  /** For calls that need no client; undefined where all do. */
  readonly post?: Post | undefined;
};

const changes: Readonly<Record<string, ChangedList>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
};
/** Longer than any call may take: our own deadline counts. */
const neverMs = 24 * 3_600_000;
/** Between the end of a stream and its last message being handled. */
const settleMs = 250;
const relistenMs = 5000;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Results go through as they are; their meaning is looked at where they are used. */
const anyResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'vp',
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: 'a result is an object' }] }),
  },
};

/** An open client. */
export class Channel {
  readonly client: Client;
  readonly #options: ChannelOptions;
  readonly #flying = new Set<FlyingCall>();
  readonly #plain: PlainCalls | undefined;
  #logLevel: string | undefined;
  #closed = false;

  private constructor(options: ChannelOptions) {
    this.#options = options;
    const { version, capabilities, negotiation, connectMs } = options;
    const self = { name: 'vp', title: 'vp hub', version };
    this.client = new Client(self, {
      capabilities,
      versionNegotiation: { mode: negotiation, probe: { timeoutMs: Math.min(connectMs, 4000) } },
      inputRequired: { autoFulfill: false },
    });
    this.#plain = options.post && new PlainCalls(options.post, self, (told) => this.#told(told));
    this.client.onerror = () => {};
    this.client.onclose = () => {
      this.#closed = true;
      options.listener.onClosed();
    };
    this.client.fallbackRequestHandler = (request) => this.#asked(request);
    this.client.fallbackNotificationHandler = async (notification) => this.#told(notification);
  }

  /** Connects. Throws what the client throws. */
  static async open(transport: Transport, options: ChannelOptions): Promise<Channel> {
    const channel = new Channel(options);
    await forNoCall(() => channel.client.connect(transport, { timeout: options.connectMs }));
    if (channel.isModern) void forNoCall(() => channel.#listen());
    return channel;
  }

  get isModern(): boolean {
    return this.client.getProtocolEra() === 'modern';
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get isIdle(): boolean {
    return this.#flying.size === 0;
  }

  /** True when the server keeps state for this client. */
  get hasSession(): boolean {
    return this.client.transport?.sessionId !== undefined;
  }

  /** Sends a request; the answer may be an `input_required` result. Throws what the client throws, UPSTREAM_TIMED_OUT. */
  async send(method: string, params: Record<string, unknown>, call: UpstreamCall): Promise<Record<string, unknown>> {
    const { clock } = this.#options;
    const { timeoutMs = this.#options.limits.silenceMs } = call;
    const limits = { silenceMs: timeoutMs, wholeMs: Math.max(timeoutMs, this.#options.limits.wholeMs) };
    const deadline = new Deadline(clock, limits, call.signal);
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => {});
    const flying: FlyingCall = {
      mostBytes: call.answerBytes,
      call: call.ask ? { ...call, ask: (question) => deadline.pausedFor(() => ask(call, question)) } : call,
      onStreamEnd: (problem, resumable) => {
        if (!resumable) clock.after(settleMs, () => broken.reject(problem ?? new Error('the stream ended')));
      },
    };
    this.#flying.add(flying);
    try {
      await this.#setLogLevel(call);
      const answer = asCall(flying, () => this.#request(method, params, call, deadline));
      return await Promise.race([answer, broken.promise]);
    } catch (error) {
      if (!deadline.expired) throw error;
      const timeout_s = Math.round(limits.silenceMs / 1000);
      throw vpError('UPSTREAM_TIMED_OUT', { connection: this.#options.connection, timeout_s });
    } finally {
      deadline.end();
      this.#flying.delete(flying);
    }
  }

  #request(method: string, params: Record<string, unknown>, call: UpstreamCall, deadline: Deadline) {
    const { onProgress, headers } = call;
    if (this.isModern && this.#plain && isPlain(method, params, call)) {
      const revision = this.client.getNegotiatedProtocolVersion() ?? '';
      return this.#plain.send({ method, params: this.#paramsFor(params, call), headers, revision }, deadline);
    }
    const onprogress = (progress: Record<string, unknown>): void => {
      deadline.touch();
      onProgress?.(progress);
    };
    return this.client.request({ method, params: this.#paramsFor(params, call) }, anyResult, {
      signal: deadline.signal,
      timeout: neverMs,
      allowInputRequired: true,
      ...(onProgress ? { onprogress } : {}),
      ...(headers ? { headers } : {}),
    });
  }

  /** Servers of the newest era are told the caller's capabilities with each request. */
  #paramsFor(params: Record<string, unknown>, { capabilities, logLevel }: UpstreamCall): Record<string, unknown> {
    if (!this.isModern) return params;
    const meta = isRecord(params._meta) ? params._meta : {};
    const told = {
      [CLIENT_CAPABILITIES_META_KEY]: capabilities,
      ...(logLevel ? { [LOG_LEVEL_META_KEY]: logLevel } : {}),
    };
    return { ...params, _meta: { ...meta, ...told } };
  }

  async #setLogLevel({ logLevel }: UpstreamCall): Promise<void> {
    if (logLevel === undefined || logLevel === this.#logLevel || this.isModern) return;
    if (!this.client.getServerCapabilities()?.logging || !isLogLevel(logLevel)) return;
    this.#logLevel = logLevel;
    await this.client.setLoggingLevel(logLevel, { timeout: this.#options.connectMs });
  }

  async #asked({ method, params }: JSONRPCRequest): Promise<Record<string, unknown>> {
    const call = concernedCall(this.#flying);
    if (!call?.ask) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'nobody can be asked here');
    return call.ask({ method, params: { ...params } });
  }

  #told({ method, params = {} }: Notification): void {
    const { listener } = this.#options;
    const changed = changes[method];
    if (changed) listener.onChanged(changed);
    else if (method === 'notifications/resources/updated' && typeof params.uri === 'string')
      listener.onUpdated(params.uri);
    else if (method === 'notifications/message') concernedCall(this.#flying)?.onLog?.({ ...params });
  }

  /** Servers of the newest era tell changes on a stream that is asked for; it is asked for again when it breaks. */
  async #listen(): Promise<void> {
    const { tools, prompts, resources } = this.client.getServerCapabilities() ?? {};
    const filter: SubscriptionFilter = {
      ...(tools?.listChanged ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged ? { promptsListChanged: true } : {}),
      ...(resources?.listChanged ? { resourcesListChanged: true } : {}),
    };
    if (Object.keys(filter).length === 0) return;
    while (!this.#closed) {
      const subscription = await this.client.listen(filter, { timeout: neverMs }).catch(() => undefined);
      await subscription?.closed;
      await new Promise<void>((resolve) => this.#options.clock.after(relistenMs, resolve));
    }
  }

  /** Hears of changes of a resource until the returned function is called. */
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
    this.#plain?.close();
    await forNoCall(() => closeClient(this.client, this.#options.clock));
  }
}

async function ask(call: UpstreamCall, question: Parameters<NonNullable<UpstreamCall['ask']>>[0]) {
  if (!call.ask) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'nobody can be asked here');
  return call.ask(question);
}
