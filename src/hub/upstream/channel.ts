/**
 * One open client of an upstream server: sends requests and assigns incoming messages to their calls.
 *
 * Length: requests, and what a server asks or says, share the calls in flight.
 */

import {
  Client,
  type ClientCapabilities,
  type Implementation,
  type Notification,
  ProtocolError,
  ProtocolErrorCode,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { InFlightSet } from '../../collections/in-flight.ts';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { waitAtMost } from '../../timing/timeout.ts';
import { newestRevision } from '../downstream/revisions.ts';
import { ChangedRoots, type RootsSession } from './changed-roots.ts';
import {
  type ChangedList,
  findChangedList,
  subscribeToUpstreamChanges,
  type WatchTarget,
  watchAtServer,
} from './changes.ts';
import { type CallTimeouts, Deadline } from './deadline.ts';
import type { CallerEvents } from './duplex-caller.ts';
import { createInFlightCall, findConcernedCall, findListeningCall, type InFlightCall } from './in-flight-call.ts';
import { isLogLevel } from './log-level.ts';
import type { UpstreamLine } from './transports.ts';
import type { UpstreamCallOptions, UpstreamQuestion } from './upstream-call.ts';
import type { UpstreamCaller } from './upstream-request.ts';

/** Notifications of a server that concern all callers. */
export type ChannelListener = {
  onChanged(list: ChangedList): void;
  onUpdated(uri: string): void;
  onTaskStatus(params: Record<string, unknown>): void;
  onElicitationComplete(params: Record<string, unknown>): void;
  /** A result of the newest era lacks its type. */
  readonly onMissingType: () => void;
  onClosed(): void;
};

/** `auto` detects the server's era; the others allow one only. */
export type ChannelNegotiation = 'auto' | 'modern' | 'legacy';

export type ChannelOptions = {
  readonly connection: string;
  readonly version: string;
  readonly capabilities: ClientCapabilities;
  readonly negotiation: ChannelNegotiation;
  readonly connectMs: number;
  /** For the answer that says which era the server has. */
  readonly probeMs: number;
  readonly timeouts: CallTimeouts;
  readonly clock: Clock;
  readonly listener: ChannelListener;
  createLine(events: CallerEvents): Promise<UpstreamLine>;
};

export class Channel {
  readonly client: Client;
  readonly #options: ChannelOptions;
  readonly #inFlight = new InFlightSet<InFlightCall>();
  readonly #changedRoots: ChangedRoots;
  #caller: UpstreamCaller | undefined;
  #logLevel: string | undefined;
  #closed = false;
  #isRetired = false;

  private constructor(options: ChannelOptions) {
    this.#options = options;
    this.#changedRoots = new ChangedRoots(options.clock);
    const { capabilities, negotiation, probeMs } = options;
    this.client = new Client(getClientInfo(options), {
      capabilities,
      versionNegotiation: {
        mode: negotiation === 'modern' ? { pin: newestRevision } : negotiation,
        probe: { timeoutMs: probeMs },
      },
      inputRequired: { autoFulfill: false },
    });
    this.client.onerror = () => {};
    this.client.onclose = () => {
      this.#closed = true;
      options.listener.onClosed();
    };
    this.client.fallbackRequestHandler = (request) => this.#onQuestion({ ...request, params: { ...request.params } });
    this.client.fallbackNotificationHandler = async (notification) => this.#onNotification(notification);
  }

  /** Throws what the client throws. */
  static async open(options: ChannelOptions): Promise<Channel> {
    const channel = new Channel(options);
    const line = await options.createLine({
      client: getClientInfo(options),
      onMissingType: options.listener.onMissingType,
      onNotification: (notification) => channel.#onNotification(notification),
      onQuestion: (question) => channel.#onQuestion(question),
    });
    channel.#caller = line.caller;
    await channel.client.connect(line.transport, { timeout: options.connectMs });
    const { clock, connectMs: timeoutMs, listener } = options;
    const subscription = { clock, timeoutMs, isClosed: () => channel.isClosed };
    if (channel.isModern)
      void subscribeToUpstreamChanges(channel.client, subscription, (list) => listener.onChanged(list));
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
    const inFlight = createInFlightCall(call, deadline);
    const leave = this.#inFlight.add(inFlight);
    try {
      const { logLevel } = call;
      if (logLevel !== undefined && this.#needsLogLevel(logLevel)) await this.#setLogLevel(logLevel);
      return await this.#request(method, params, inFlight.call, deadline);
    } catch (error) {
      if (!deadline.expired) throw error;
      const timeout_s = Math.round(timeouts.idleMs / 1000);
      throw vpError('UPSTREAM_TIMED_OUT', { connection: this.#options.connection, timeout_s });
    } finally {
      deadline.dispose();
      leave();
      if (this.#isRetired && this.isIdle) void this.close();
    }
  }

  #request(
    method: string,
    params: Record<string, unknown>,
    call: UpstreamCallOptions,
    deadline: Deadline,
  ): Promise<Record<string, unknown>> {
    if (!this.#caller) throw new TypeError('the channel is not open');
    const session = {
      revision: this.client.getNegotiatedProtocolVersion() ?? '',
      isModern: this.isModern,
      sessionId: this.client.transport?.sessionId,
      onMissingType: this.#options.listener.onMissingType,
    };
    return this.#caller.send({ method, params, session, call }, deadline);
  }

  #needsLogLevel(logLevel: string): boolean {
    if (logLevel === this.#logLevel || this.isModern) return false;
    return this.client.getServerCapabilities()?.logging !== undefined;
  }

  async #setLogLevel(logLevel: string): Promise<void> {
    if (!isLogLevel(logLevel)) return;
    this.#logLevel = logLevel;
    await this.client.setLoggingLevel(logLevel, { timeout: this.#options.connectMs });
  }

  /** Answers a request of the server that names no call. */
  async #onQuestion({ method, params }: UpstreamQuestion): Promise<Record<string, unknown>> {
    if (method === 'roots/list') {
      const inFlight = new Set([...this.#inFlight].map(({ call }) => call.sessionId));
      const session = this.#changedRoots.take(inFlight);
      if (session === 'ambiguous')
        throw new ProtocolError(ProtocolErrorCode.InternalError, 'several sessions of the caller may be meant');
      if (session) return session.ask({ method, params });
    }
    const concerned = findConcernedCall(this.#inFlight);
    if (!concerned?.call.askCaller)
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'the caller does not support this request');
    try {
      return await concerned.call.askCaller({ method, params });
    } catch (error) {
      // The server completed that call with its question open: another call of the session has caused it.
      if (concerned.call.signal.aborted || this.#inFlight.has(concerned)) throw error;
      return this.#onQuestion({ method, params });
    }
  }

  #onNotification({ method, params = {} }: Notification): void {
    const { listener } = this.#options;
    const list = findChangedList(method);
    if (list) listener.onChanged(list);
    else if (method === 'notifications/resources/updated' && typeof params.uri === 'string')
      listener.onUpdated(params.uri);
    else if (method === 'notifications/tasks/status' || method === 'notifications/tasks')
      listener.onTaskStatus({ ...params });
    else if (method === 'notifications/elicitation/complete') listener.onElicitationComplete({ ...params });
    else if (method === 'notifications/message') findListeningCall(this.#inFlight)?.call.onLog?.({ ...params });
  }

  /** Tells a server of an older era that the roots of a client have changed; it may ask for them then. */
  announceRoots(session: RootsSession): void {
    if (this.isModern) return;
    this.#changedRoots.add(session);
    void this.client.notification({ method: 'notifications/roots/list_changed' }).catch(() => {});
  }

  /** Returns a function that stops watching. `onMissed` is called when changes may have been missed. */
  watch(target: WatchTarget, onMissed: () => void): Promise<() => Promise<void>> {
    const { clock, connectMs: timeoutMs } = this.#options;
    const isClosed = (): boolean => this.isClosed;
    return watchAtServer(this.client, target, { clock, timeoutMs, isClosed, onReopened: onMissed });
  }

  /** Throws what the client throws: the server does not respond, or has forgotten the session. */
  async ping(): Promise<void> {
    await this.client.ping({ timeout: this.#options.connectMs });
  }

  /** Closes after the last call. */
  retire(): void {
    this.#isRetired = true;
    if (this.isIdle) void this.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#caller?.close();
    await closeClient(this.client, this.#options.clock);
  }
}

function getClientInfo({ version }: ChannelOptions): Implementation {
  return { name: 'vp', title: 'vp hub', version };
}

const terminationTimeoutMs = 1000;

/** Terminates the session at the server, which would otherwise keep its state. Never throws. */
async function closeClient(client: Client, clock: Pick<Clock, 'after'>): Promise<void> {
  const { transport } = client;
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    const termination = transport.terminateSession().catch(() => {});
    await waitAtMost(clock, terminationTimeoutMs, termination);
  }
  await client.close().catch(() => {});
}
