/**
 * An upstream server: connected on first use, reconnected when it lost the session, and left alone while it is
 * unreachable. Servers of the newest era keep no state between requests, so one client serves all callers; those of
 * older eras know clients by session, so each person and set of capabilities has its own.
 *
 * Length: connecting, reconnecting and closing share the channels.
 */
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { VpError } from '../../errors/vp-error.ts';
import { UpstreamTokenSource } from '../sign-in/token-source.ts';
import type { ConnectionState, MemoryPort, UpstreamConnection } from '../types.ts';
import { Backoff } from './backoff.ts';
import { Channel, type ChannelListener } from './channel.ts';
import type { CallTimeouts } from './deadline.ts';
import { createUpstreamLists, type UpstreamLists } from './lists/upstream-lists.ts';
import { withValidLists } from './lists/valid-lists.ts';
import { createJsonRpcPost, createUpstreamTransport, type TransportDependencies } from './transports.ts';
import type { UpstreamCallOptions } from './upstream-call.ts';
import { isServerError, isSessionLost, toUpstreamError } from './upstream-error.ts';
import type { ServerCapabilities, ServerInfo, UpstreamListener, UpstreamServer } from './upstream-server.ts';

export type UpstreamDependencies = TransportDependencies & {
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly timeouts: CallTimeouts;
  readonly connectMs: number;
  /** Records the outcome of the last real call. */
  recordState(connectionId: string, state: ConnectionState, lastError: string | undefined): void;
  /** Records what is wrong with the server's lists; undefined clears it. */
  recordWarning?(connectionId: string, warning: string | undefined): void;
  /** For connections of the kind `memory`. */
  readonly memory?: MemoryPort | undefined;
};

const noCapabilities: ClientCapabilities = {};
/** On a pipe all callers share one client; questions to a caller without the capability are refused later. */
const allCapabilities: ClientCapabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };
const maxChannels = 64;

export class RemoteUpstream implements UpstreamServer {
  readonly connection: UpstreamConnection;
  readonly lists: UpstreamLists;
  readonly tokenSource: UpstreamTokenSource | undefined;
  readonly #personId: string | undefined;
  readonly #dependencies: UpstreamDependencies;
  readonly #listener: UpstreamListener;
  readonly #channels = new Map<string, Promise<Channel>>();
  readonly #backOff: Backoff;
  #era: 'unknown' | 'modern' | 'legacy';
  #recordedState: string | undefined;
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
    this.#era = connection.kind === 'sse' ? 'legacy' : 'unknown';
    this.tokenSource =
      connection.credential.kind === 'oauth' ? new UpstreamTokenSource(connection, personId, dependencies) : undefined;
    this.lists = createUpstreamLists(this, dependencies.clock, (warning) =>
      dependencies.recordWarning?.(connection.id, warning),
    );
    this.lastUsedMs = dependencies.clock.monotonicMs();
  }

  async send(
    method: string,
    params: Record<string, unknown>,
    call: UpstreamCallOptions,
  ): Promise<Record<string, unknown>> {
    this.lastUsedMs = this.#dependencies.clock.monotonicMs();
    try {
      const result = await this.#sendWithReconnect(method, params, call, true);
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

  async #sendWithReconnect(
    method: string,
    params: Record<string, unknown>,
    call: UpstreamCallOptions,
    mayReconnect: boolean,
  ): Promise<Record<string, unknown>> {
    const channel = await this.#channelFor(call);
    try {
      return await channel.send(method, params, call);
    } catch (error) {
      if (!mayReconnect || call.signal.aborted || !isSessionLost(error, channel.isModern)) throw error;
      if (this.connection.kind === 'http') this.#era = 'unknown';
      this.#drop(channel);
      return this.#sendWithReconnect(method, params, call, false);
    }
  }

  async getInfo(): Promise<ServerInfo> {
    try {
      const { client } = await this.#channel('', noCapabilities);
      const [server, revision] = [client.getServerVersion(), client.getNegotiatedProtocolVersion()];
      return { server, protocolVersion: revision, instructions: client.getInstructions() };
    } catch (error) {
      throw this.#recordFailure(error);
    }
  }

  async capabilities(): Promise<ServerCapabilities> {
    try {
      const channel = await this.#channel('', noCapabilities);
      return channel.client.getServerCapabilities() ?? {};
    } catch (error) {
      throw this.#recordFailure(error);
    }
  }

  async watch(uri: string): Promise<() => Promise<void>> {
    try {
      const channel = await this.#channel('', noCapabilities);
      const stop = await channel.watch(uri);
      return () => stop().catch(() => {});
    } catch (error) {
      throw isServerError(error) ? error : this.#recordFailure(error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const channels = [...this.#channels.values()];
    this.#channels.clear();
    await Promise.all(channels.map(async (channel) => (await channel.catch(() => undefined))?.close()));
  }

  /** The client without a caller detects the protocol era and whether the server keeps sessions. */
  async #channelFor(call: UpstreamCallOptions): Promise<Channel> {
    const mainChannel = await this.#channel('', noCapabilities);
    if (mainChannel.isModern || this.connection.kind === 'stdio' || call.personId === '') return mainChannel;
    if (!mainChannel.hasSession && Object.keys(call.capabilities).length === 0) return mainChannel;
    return this.#channel(`${call.personId}\n${JSON.stringify(call.capabilities)}`, call.capabilities);
  }

  #channel(key: string, capabilities: ClientCapabilities): Promise<Channel> {
    const openChannel = this.#channels.get(key);
    if (openChannel) {
      this.#channels.delete(key);
      this.#channels.set(key, openChannel);
      return openChannel;
    }
    this.#backOff.assertMayRetry();
    const opening = this.#open(capabilities);
    this.#channels.set(key, opening);
    opening.catch(() => this.#channels.get(key) === opening && this.#channels.delete(key));
    void this.#closeIdleChannel();
    return opening;
  }

  async #open(capabilities: ClientCapabilities): Promise<Channel> {
    try {
      const channel = await this.#connect(capabilities);
      this.#era = channel.isModern ? 'modern' : 'legacy';
      this.#backOff.recordSuccess();
      return channel;
    } catch (error) {
      // The server may have been replaced by one of another era.
      if (this.connection.kind === 'http') this.#era = 'unknown';
      const upstreamError = toUpstreamError(this.connection.name, error);
      this.#backOff.recordFailure(upstreamError);
      throw upstreamError;
    }
  }

  async #connect(capabilities: ClientCapabilities): Promise<Channel> {
    const { kind, name } = this.connection;
    const { version, clock, connectMs, timeouts } = this.#dependencies;
    const announced = kind === 'stdio' ? allCapabilities : capabilities;
    const jsonRpcPost = await createJsonRpcPost(this.connection, this.tokenSource, this.#dependencies);
    const options = {
      connection: name,
      version,
      capabilities: announced,
      connectMs,
      timeouts,
      clock,
      post: jsonRpcPost,
    };
    const attempt = async (negotiation: 'auto' | 'legacy'): Promise<Channel> => {
      const transport = withValidLists(
        await createUpstreamTransport(this.connection, this.tokenSource, this.#dependencies),
      );
      return Channel.open(transport, { ...options, negotiation, listener: this.#channelListener() });
    };
    if (this.#era === 'legacy') return attempt('legacy');
    return attempt('auto').catch((error: unknown) => {
      // Older programs exit on an unknown request.
      if (kind !== 'stdio' || error instanceof VpError) throw error;
      return attempt('legacy');
    });
  }

  #channelListener(): ChannelListener {
    return {
      onChanged: (list) => {
        this.lists.invalidate(list);
        this.#listener.onChanged(list);
      },
      onUpdated: (uri) => this.#listener.onUpdated(uri),
      onClosed: () => void this.#forgetClosed(),
    };
  }

  async #forgetClosed(): Promise<void> {
    for (const [key, opening] of this.#channels) {
      const channel = await opening.catch(() => undefined);
      if (channel?.isClosed && this.#channels.get(key) === opening) this.#channels.delete(key);
    }
  }

  #drop(channel: Channel): void {
    void channel.close().then(() => this.#forgetClosed());
    for (const [key, opening] of this.#channels) {
      void opening.then(
        (open) => open === channel && this.#channels.get(key) === opening && this.#channels.delete(key),
      );
    }
  }

  async #closeIdleChannel(): Promise<void> {
    if (this.#channels.size <= maxChannels) return;
    for (const [key, opening] of this.#channels) {
      const channel = await opening.catch(() => undefined);
      if (key === '' || !channel?.isIdle) continue;
      this.#channels.delete(key);
      await channel.close();
      return;
    }
  }

  #recordFailure(error: unknown): VpError {
    const upstreamError = toUpstreamError(this.connection.name, error);
    if (upstreamError.code !== 'UPSTREAM_SIGN_IN_NEEDED') this.#recordState('failing', upstreamError.message);
    // The sign-in of one person does not affect the state of the connection.
    else if (this.#personId === undefined)
      this.#recordState('needs_sign_in', `${upstreamError.message}: ${upstreamError.cure}`);
    return upstreamError;
  }

  #recordState(state: ConnectionState, lastError: string | undefined): void {
    const stateKey = `${state} ${lastError}`;
    if (stateKey === this.#recordedState || this.#closed) return;
    this.#recordedState = stateKey;
    this.#dependencies.recordState(this.connection.id, state, lastError);
  }
}
