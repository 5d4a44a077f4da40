/**
 * An upstream server as a hub uses it: connected when first needed, renewed when it forgot us, left alone when it is away.
 * Servers of the newest era keep nothing between requests, so one client serves all callers; those of older eras know their
 * client by session, so each person with each set of capabilities has one of their own.
 */
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { Connection, ConnectionState, MemoryPort } from '../words.ts';
import { BackOff } from './back-off.ts';
import type { UpstreamCall } from './call.ts';
import { Channel, type ChannelListener } from './channel.ts';
import type { ConnectedServer, ServerAbilities, ServerFacts, UpstreamListener } from './connected-server.ts';
import type { CallTimes } from './deadline.ts';
import { Grant } from './grants.ts';
import { isServersAnswer, isSessionGone, upstreamProblem } from './problem.ts';
import { withSiftedLists } from './sifted-lists.ts';
import { postTo, type TransportParts, transportTo } from './transports.ts';
import { type UpstreamLists, upstreamLists } from './upstream-lists.ts';

/** What upstreams are made with. */
export type UpstreamParts = TransportParts & {
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: CallTimes;
  readonly connectMs: number;
  /** Notes how the last real call went. */
  noteState(connectionId: string, state: ConnectionState, lastError: string | undefined): void;
  /** Notes what is wrong with some of what it offers; undefined where nothing is. */
  noteWarning?(connectionId: string, warning: string | undefined): void;
  /** For connections of the kind `memory`. */
  readonly memory?: MemoryPort | undefined;
};

const nobody: ClientCapabilities = {};
/** On a pipe all callers share one client; whoever cannot be asked is told so then. */
const everything: ClientCapabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };
const mostChannels = 64;

/** One upstream server, for a whole hub or for one person. */
export class Upstream implements ConnectedServer {
  readonly connection: Connection;
  readonly lists: UpstreamLists;
  readonly grant: Grant | undefined;
  readonly #personId: string | undefined;
  readonly #parts: UpstreamParts;
  readonly #listener: UpstreamListener;
  readonly #channels = new Map<string, Promise<Channel>>();
  readonly #backOff: BackOff;
  #era: 'unknown' | 'modern' | 'legacy';
  #noted: string | undefined;
  #closed = false;
  lastUsedMs: number;

  constructor(connection: Connection, personId: string | undefined, parts: UpstreamParts, listener: UpstreamListener) {
    this.connection = connection;
    this.#parts = parts;
    this.#listener = listener;
    this.#personId = personId;
    this.#backOff = new BackOff(parts.clock, parts.random);
    this.#era = connection.kind === 'sse' ? 'legacy' : 'unknown';
    this.grant = connection.credential.kind === 'oauth' ? new Grant(connection, personId, parts) : undefined;
    this.lists = upstreamLists(this, parts.clock, (warning) => parts.noteWarning?.(connection.id, warning));
    this.lastUsedMs = parts.clock.monotonicMs();
  }

  async send(method: string, params: Record<string, unknown>, call: UpstreamCall): Promise<Record<string, unknown>> {
    this.lastUsedMs = this.#parts.clock.monotonicMs();
    try {
      const result = await this.#sendOnce(method, params, call, true);
      this.#note('connected', undefined);
      return result;
    } catch (error) {
      call.signal.throwIfAborted();
      if (isServersAnswer(error)) {
        this.#note('connected', undefined);
        throw error;
      }
      throw this.#failed(error);
    }
  }

  async #sendOnce(
    method: string,
    params: Record<string, unknown>,
    call: UpstreamCall,
    mayRenew: boolean,
  ): Promise<Record<string, unknown>> {
    const channel = await this.#channelFor(call);
    try {
      return await channel.send(method, params, call);
    } catch (error) {
      if (!mayRenew || call.signal.aborted || !isSessionGone(error, channel.isModern)) throw error;
      if (this.connection.kind === 'http') this.#era = 'unknown';
      this.#drop(channel);
      return this.#sendOnce(method, params, call, false);
    }
  }

  async about(): Promise<ServerFacts> {
    try {
      const { client } = await this.#channel('', nobody);
      const [server, revision] = [client.getServerVersion(), client.getNegotiatedProtocolVersion()];
      return { server, revision, instructions: client.getInstructions() };
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async capabilities(): Promise<ServerAbilities> {
    try {
      const channel = await this.#channel('', nobody);
      return channel.client.getServerCapabilities() ?? {};
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async watch(uri: string): Promise<() => Promise<void>> {
    try {
      const channel = await this.#channel('', nobody);
      const stop = await channel.watch(uri);
      return () => stop().catch(() => {});
    } catch (error) {
      throw isServersAnswer(error) ? error : this.#failed(error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const channels = [...this.#channels.values()];
    this.#channels.clear();
    await Promise.all(channels.map(async (channel) => (await channel.catch(() => undefined))?.close()));
  }

  /** The client without a caller tells the era, and whether the server keeps sessions. */
  async #channelFor(call: UpstreamCall): Promise<Channel> {
    const main = await this.#channel('', nobody);
    if (main.isModern || this.connection.kind === 'stdio' || call.personId === '') return main;
    if (!main.hasSession && Object.keys(call.capabilities).length === 0) return main;
    return this.#channel(`${call.personId}\n${JSON.stringify(call.capabilities)}`, call.capabilities);
  }

  #channel(key: string, capabilities: ClientCapabilities): Promise<Channel> {
    const open = this.#channels.get(key);
    if (open) {
      this.#channels.delete(key);
      this.#channels.set(key, open);
      return open;
    }
    this.#backOff.demandTry();
    const opening = this.#open(capabilities);
    this.#channels.set(key, opening);
    opening.catch(() => this.#channels.get(key) === opening && this.#channels.delete(key));
    void this.#makeRoom();
    return opening;
  }

  async #open(capabilities: ClientCapabilities): Promise<Channel> {
    try {
      const channel = await this.#connect(capabilities);
      this.#era = channel.isModern ? 'modern' : 'legacy';
      this.#backOff.succeeded();
      return channel;
    } catch (error) {
      // It may have been replaced by one of another era.
      if (this.connection.kind === 'http') this.#era = 'unknown';
      const problem = upstreamProblem(this.connection.name, error);
      this.#backOff.failed(problem);
      throw problem;
    }
  }

  async #connect(capabilities: ClientCapabilities): Promise<Channel> {
    const { kind, name } = this.connection;
    const { version, clock, connectMs, limits } = this.#parts;
    const told = kind === 'stdio' ? everything : capabilities;
    const post = await postTo(this.connection, this.grant, this.#parts);
    const options = { connection: name, version, capabilities: told, connectMs, limits, clock, post };
    const attempt = async (negotiation: 'auto' | 'legacy'): Promise<Channel> => {
      const transport = withSiftedLists(await transportTo(this.connection, this.grant, this.#parts));
      return Channel.open(transport, { ...options, negotiation, listener: this.#channelListener() });
    };
    if (this.#era === 'legacy') return attempt('legacy');
    return attempt('auto').catch((error: unknown) => {
      // Older programs end when they are asked what they do not know.
      if (kind !== 'stdio' || error instanceof VpError) throw error;
      return attempt('legacy');
    });
  }

  #channelListener(): ChannelListener {
    return {
      onChanged: (list) => {
        this.lists.outdate(list);
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

  async #makeRoom(): Promise<void> {
    if (this.#channels.size <= mostChannels) return;
    for (const [key, opening] of this.#channels) {
      const channel = await opening.catch(() => undefined);
      if (key === '' || !channel?.isIdle) continue;
      this.#channels.delete(key);
      await channel.close();
      return;
    }
  }

  #failed(error: unknown): VpError {
    const problem = upstreamProblem(this.connection.name, error);
    if (problem.code !== 'UPSTREAM_SIGN_IN_NEEDED') this.#note('failing', problem.message);
    // One person's sign-in says nothing about the connection of the others.
    else if (this.#personId === undefined) this.#note('needs_sign_in', `${problem.message}: ${problem.cure}`);
    return problem;
  }

  #note(state: ConnectionState, lastError: string | undefined): void {
    const noted = `${state} ${lastError}`;
    if (noted === this.#noted || this.#closed) return;
    this.#noted = noted;
    this.#parts.noteState(this.connection.id, state, lastError);
  }
}
