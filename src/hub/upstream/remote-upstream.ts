/**
 * An upstream server: connected on first use, reconnected when it lost the session, and left alone while it is unreachable.
 * Servers of the newest era keep no state between requests, so one channel serves all callers. Those of older eras know clients
 * by session, and a local command cannot say which call its question belongs to. So each person whose client can answer questions
 * has a channel of their own (for a local command, a process), and the main channel serves everybody else. With a remote server of
 * both eras, such a person has a session of its older part.
 *
 * Length: connecting, reconnecting and the state of the connection share the channels.
 */
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { ConnectionState, MemoryPort, UpstreamConnection } from '../connections/connection.ts';
import { hubCapabilities, pickOlderCapabilities } from '../protocol/extensions.ts';
import { formatHubPath, hubPathHeader, hubPathKey } from '../protocol/hub-path.ts';
import { UpstreamTokenSource } from '../sign-in/token-source.ts';
import { Backoff } from './backoff.ts';
import type { RootsSession } from './changed-roots.ts';
import type { ChangedList, WatchTarget } from './changes.ts';
import { Channel, type ChannelListener, type ChannelNegotiation } from './channel.ts';
import { ChannelPool, mainChannelKey } from './channel-pool.ts';
import { type CredentialMask, CredentialMasker, maskJson } from './credential-masker.ts';
import type { CallTimeouts } from './deadline.ts';
import { createUpstreamLists, type UpstreamLists } from './lists/upstream-lists.ts';
import { OlderPart } from './older-part.ts';
import { createUpstreamLine, getProbeMs, type TransportDependencies } from './transports.ts';
import { acceptsQuestions, simplifyCapabilities, type UpstreamCallOptions } from './upstream-call.ts';
import { describeLastError, isServerError, isSessionLost, toUpstreamError } from './upstream-error.ts';
import type { ServerCapabilities, ServerInfo, UpstreamListener, UpstreamServer } from './upstream-server.ts';
import { WatchKeeper } from './watch-keeper.ts';

export type UpstreamDependencies = TransportDependencies & {
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly timeouts: CallTimeouts;
  readonly connectMs: number;
  /** Records the outcome of the last real call. */
  recordState(connectionId: string, state: ConnectionState, lastError: string | undefined): void;
  /** Records what is wrong with the server's lists or results; undefined clears it. */
  recordWarning?(connectionId: string, warning: string | undefined): void;
  /** For connections of the kind `memory`. */
  readonly memory?: MemoryPort | undefined;
};

const missingTypeWarning = 'its results lack resultType, which revision 2026-07-28 requires: they are read as complete';
const maxSessions = 64;
/** Each takes the memory of a program. */
const maxProcesses = 24;

export class RemoteUpstream implements UpstreamServer {
  readonly connection: UpstreamConnection;
  readonly lists: UpstreamLists;
  readonly tokenSource: UpstreamTokenSource | undefined;
  readonly #personId: string | undefined;
  readonly #dependencies: UpstreamDependencies;
  readonly #listener: UpstreamListener;
  readonly #channels: ChannelPool;
  readonly #olderPart: OlderPart;
  readonly #masker: CredentialMasker;
  readonly #watches: WatchKeeper;
  readonly #backOff: Backoff;
  readonly #pinnedEra: 'modern' | 'legacy' | undefined;
  #era: 'unknown' | 'modern' | 'legacy';
  readonly #warnings: { lists?: string | undefined; protocol?: string | undefined } = {};
  #recordedState: string | undefined;
  #hasOpened = false;
  #closed = false;
  lastUsedMs: number;

  constructor(
    connection: UpstreamConnection,
    personId: string | undefined,
    dependencies: UpstreamDependencies,
    listener: UpstreamListener,
  ) {
    this.connection = connection;
    this.#dependencies = dependencies;
    this.#listener = listener;
    this.#personId = personId;
    this.#backOff = new Backoff(dependencies.clock, dependencies.random);
    this.#channels = new ChannelPool({
      connection: connection.name,
      maxChannels: connection.kind === 'stdio' ? maxProcesses : maxSessions,
      clock: dependencies.clock,
    });
    this.#pinnedEra = getPinnedEra(connection);
    this.#olderPart = new OlderPart({
      connection,
      clock: dependencies.clock,
      listTimeoutMs: dependencies.connectMs,
      getMask: () => this.getMask(),
    });
    this.#era = this.#pinnedEra ?? 'unknown';
    this.tokenSource =
      connection.credential.kind === 'oauth' ? new UpstreamTokenSource(connection, personId, dependencies) : undefined;
    this.#masker = new CredentialMasker(dependencies.secrets);
    this.#watches = this.#createWatches();
    this.lists = createUpstreamLists(this, dependencies.clock, (warning) => this.#recordWarning('lists', warning));
    this.lastUsedMs = dependencies.clock.monotonicMs();
  }

  async send(
    method: string,
    params: Record<string, unknown>,
    call: UpstreamCallOptions,
  ): Promise<Record<string, unknown>> {
    this.lastUsedMs = this.#dependencies.clock.monotonicMs();
    try {
      const { params: sentParams, call: sentCall } = this.#withHubPath(params, call);
      const result = await this.#sendWithReconnect(method, sentParams, sentCall, true);
      this.#recordState('connected', undefined);
      return result;
    } catch (error) {
      call.signal.throwIfAborted();
      if (isServerError(error)) {
        this.#recordState('connected', undefined);
        throw error;
      }
      throw this.#recordFailure(error);
    }
  }

  /** Tells the next hub, if the server is one, which hubs the request has passed. */
  #withHubPath(
    params: Record<string, unknown>,
    call: UpstreamCallOptions,
  ): { readonly params: Record<string, unknown>; readonly call: UpstreamCallOptions } {
    const { hubId, kind } = this.connection;
    if (kind === 'http' && !call.hubPath?.length) return { params, call };
    const path = formatHubPath([...(call.hubPath ?? []), this.#dependencies.getHubMark(hubId)]);
    if (kind === 'http') return { params, call: { ...call, headers: { ...call.headers, [hubPathHeader]: path } } };
    const meta: Record<string, unknown> = { ...Object(params._meta) };
    meta[hubPathKey] = path;
    return { params: { ...params, _meta: meta }, call };
  }

  async #sendWithReconnect(
    method: string,
    params: Record<string, unknown>,
    call: UpstreamCallOptions,
    mayReconnect: boolean,
  ): Promise<Record<string, unknown>> {
    const channel = await this.#channelFor(method, params, call);
    try {
      return await channel.send(method, params, call);
    } catch (error) {
      if (!mayReconnect || call.signal.aborted || !isSessionLost(error, channel.isModern)) throw error;
      this.#forgetEra();
      this.#channels.retire(channel);
      return this.#sendWithReconnect(method, params, call, false);
    }
  }

  async getInfo(): Promise<ServerInfo> {
    try {
      const { client } = await this.#mainChannel();
      const [server, revision] = [client.getServerVersion(), client.getNegotiatedProtocolVersion()];
      const info = { server, protocolVersion: revision, instructions: client.getInstructions() };
      return maskJson(await this.getMask(), info);
    } catch (error) {
      throw this.#recordFailure(error);
    }
  }

  getMask(): Promise<CredentialMask> | CredentialMask {
    return this.#masker.getMask({ connection: this.connection, upstream: this });
  }

  async capabilities(): Promise<ServerCapabilities> {
    try {
      const channel = await this.#mainChannel();
      return channel.client.getServerCapabilities() ?? {};
    } catch (error) {
      throw this.#recordFailure(error);
    }
  }

  async watch(target: WatchTarget): Promise<() => Promise<void>> {
    try {
      const stop = await this.#watches.add(target);
      return () => stop().catch(() => {});
    } catch (error) {
      throw isServerError(error) ? error : this.#recordFailure(error);
    }
  }

  closeIdle(): void {
    this.#channels.closeIdle();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watches.close();
    await this.#channels.close();
  }

  /** The main channel detects the protocol era and whether the server keeps sessions. */
  async #channelFor(
    method: string,
    { name, task }: Record<string, unknown>,
    call: UpstreamCallOptions,
  ): Promise<Channel> {
    const mainChannel = this.#channels.find(mainChannelKey) ?? (await this.#mainChannel());
    if (mainChannel.isModern) {
      const canChoose = this.connection.kind === 'http' && this.#pinnedEra === undefined;
      if (!canChoose || !call.prefersOlderEra || method !== 'tools/call' || task !== undefined) return mainChannel;
      return (await this.#olderPart.findChannel(name, () => this.#openOlderPart(call))) ?? mainChannel;
    }
    if (call.personId === '') return mainChannel;
    const capabilities = this.#toSessionCapabilities(call.capabilities);
    if (!mainChannel.hasSession && !acceptsQuestions(capabilities)) return mainChannel;
    return this.#channel(toSessionKey(call.personId, capabilities), capabilities);
  }

  #toSessionCapabilities(capabilities: ClientCapabilities): ClientCapabilities {
    return this.connection.kind === 'stdio' ? simplifyCapabilities(capabilities) : pickOlderCapabilities(capabilities);
  }

  announceRoots(
    { personId, capabilities }: Pick<UpstreamCallOptions, 'personId' | 'capabilities'>,
    session: RootsSession,
  ): void {
    this.#channels.find(toSessionKey(personId, this.#toSessionCapabilities(capabilities)))?.announceRoots(session);
    this.#channels.find(toOlderPartKey(personId, pickOlderCapabilities(capabilities)))?.announceRoots(session);
  }

  /** Undefined without sessions. Rejects where the server has only the newest era. */
  async #openOlderPart({ personId, capabilities: ofClient }: UpstreamCallOptions): Promise<Channel | undefined> {
    const capabilities = pickOlderCapabilities(ofClient);
    const channel = await this.#channels.get(toOlderPartKey(personId, capabilities), () =>
      this.#attempt('legacy', capabilities),
    );
    if (channel.hasSession) return channel;
    this.#channels.retire(channel);
    return undefined;
  }

  #mainChannel(): Promise<Channel> {
    return this.#channel(mainChannelKey, hubCapabilities);
  }

  /** Of a server of both eras, the older part may report changes of resources where the newest does not. */
  async #watchChannel(target: WatchTarget): Promise<Channel> {
    const mainChannel = await this.#mainChannel();
    const canChoose = this.connection.kind === 'http' && this.#pinnedEra === undefined && 'uri' in target;
    if (!canChoose || !mainChannel.isModern || canSubscribe(mainChannel)) return mainChannel;
    const key = toOlderPartKey('', hubCapabilities);
    const olderChannel = await this.#channels
      .get(key, () => this.#attempt('legacy', hubCapabilities))
      .catch(() => undefined);
    if (olderChannel?.hasSession && canSubscribe(olderChannel)) return olderChannel;
    if (olderChannel) this.#channels.retire(olderChannel);
    return mainChannel;
  }

  #channel(key: string, capabilities: ClientCapabilities): Promise<Channel> {
    return this.#channels.get(key, () => {
      this.#backOff.assertMayRetry();
      return this.#open(capabilities);
    });
  }

  async #open(capabilities: ClientCapabilities): Promise<Channel> {
    try {
      const channel = await this.#connect(capabilities);
      this.#era = channel.isModern ? 'modern' : 'legacy';
      this.#backOff.recordSuccess();
      if (capabilities === hubCapabilities) this.#onMainChannelOpened();
      return channel;
    } catch (error) {
      this.#forgetEra();
      const upstreamError = toUpstreamError(this.connection, error);
      this.#backOff.recordFailure(upstreamError);
      throw upstreamError;
    }
  }

  /** The server may have been replaced by one of another era. */
  #forgetEra(): void {
    if (this.connection.kind === 'http') this.#era = this.#pinnedEra ?? 'unknown';
  }

  async #connect(capabilities: ClientCapabilities): Promise<Channel> {
    if (this.#pinnedEra === 'modern') return this.#attempt('modern', capabilities);
    if (this.#era === 'legacy') return this.#attempt('legacy', capabilities);
    return this.#attempt('auto', capabilities).catch((error: unknown) => {
      // Older programs exit on an unknown request.
      if (this.connection.kind !== 'stdio' || error instanceof VpError) throw error;
      return this.#attempt('legacy', capabilities);
    });
  }

  #attempt(negotiation: ChannelNegotiation, capabilities: ClientCapabilities): Promise<Channel> {
    const { version, clock, connectMs, timeouts } = this.#dependencies;
    return Channel.open({
      connection: this.connection.name,
      version,
      capabilities,
      negotiation,
      ...{ connectMs, timeouts, clock },
      probeMs: getProbeMs(this.connection, this.#dependencies),
      listener: this.#channelListener(),
      createLine: (events) => createUpstreamLine(this.connection, this.tokenSource, this.#dependencies, events),
    });
  }

  /** Changes since the last connection broke were not reported. */
  #onMainChannelOpened(): void {
    if (this.#hasOpened) for (const list of ['tools', 'prompts', 'resources'] as const) this.invalidateList(list);
    this.#hasOpened = true;
  }

  invalidateList(list: ChangedList): void {
    this.lists.invalidate(list);
    this.#olderPart.invalidate(list);
    this.#listener.onChanged(list);
  }

  #channelListener(): ChannelListener {
    return {
      onChanged: (list) => this.invalidateList(list),
      onUpdated: (uri) => this.#listener.onUpdated(uri),
      onTaskStatus: (params) => this.#listener.onTaskStatus(params),
      onElicitationComplete: (params) => this.#listener.onElicitationComplete(params),
      onMissingType: () => this.#recordWarning('protocol', missingTypeWarning),
      onClosed: () => {
        this.#channels.removeClosed();
        this.#watches.onChannelClosed();
      },
    };
  }

  #createWatches(): WatchKeeper {
    return new WatchKeeper({
      clock: this.#dependencies.clock,
      getChannel: (target) => this.#watchChannel(target),
      // The stream of an older server may have ended, or its session been forgotten, without a word.
      needsPing: ({ isModern, hasSession }) => !isModern && (hasSession || this.connection.kind === 'sse'),
      onPingFailed: (channel, error) => {
        const isLost = this.connection.kind === 'sse' || isSessionLost(error, channel.isModern);
        if (isLost) this.#channels.retire(channel);
        return isLost;
      },
      onMissed: (target) => {
        if ('uri' in target) this.#listener.onUpdated(target.uri);
        else this.#listener.onTaskStatus({ taskId: target.taskId });
      },
    });
  }

  #recordFailure(error: unknown): VpError {
    const upstreamError = toUpstreamError(this.connection, error, this.#closed);
    if (upstreamError.code !== 'UPSTREAM_SIGN_IN_NEEDED')
      this.#recordState('failing', describeLastError(upstreamError));
    // The sign-in of one person does not affect the state of the connection.
    else if (this.#personId === undefined)
      this.#recordState('needs_sign_in', `${upstreamError.message}: ${upstreamError.cure}`);
    return upstreamError;
  }

  /** `undefined` clears the warning of this source. */
  #recordWarning(source: 'lists' | 'protocol', warning: string | undefined): void {
    if (this.#warnings[source] === warning && source === 'protocol') return;
    this.#warnings[source] = warning;
    const { protocol, lists } = this.#warnings;
    const all = [protocol, lists].filter((text) => text !== undefined).join('; ');
    this.#dependencies.recordWarning?.(this.connection.id, all === '' ? undefined : all);
  }

  #recordState(state: ConnectionState, lastError: string | undefined): void {
    const stateKey = `${state} ${lastError}`;
    if (stateKey === this.#recordedState || this.#closed) return;
    this.#recordedState = stateKey;
    this.#dependencies.recordState(this.connection.id, state, lastError);
  }
}

function canSubscribe({ client }: Channel): boolean {
  return client.getServerCapabilities()?.resources?.subscribe === true;
}

/** The key of a person's channel. */
function toSessionKey(personId: string, capabilities: ClientCapabilities): string {
  return `${personId}\n${JSON.stringify(capabilities)}`;
}

/** The same for the older part of a server of both eras. */
function toOlderPartKey(personId: string, capabilities: ClientCapabilities): string {
  return `older ${toSessionKey(personId, capabilities)}`;
}

/** The era that the kind of the connection or its owner decides; undefined if it is detected. */
function getPinnedEra({ kind, protocol }: UpstreamConnection): 'modern' | 'legacy' | undefined {
  if (kind === 'sse' || protocol === 'older') return 'legacy';
  return protocol === 'newest' ? 'modern' : undefined;
}
