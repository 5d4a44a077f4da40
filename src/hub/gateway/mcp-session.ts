/** One session of a client of an older revision: what it said when it started, its calls in flight and what it watches. */
import { type ClientCapabilities, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Clock } from '../../environment/clock.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { StreamReply } from '../downstream/mcp-http.ts';
import { SessionEvents } from '../downstream/session-events.ts';
import { SessionStreams, type StreamRetention } from '../downstream/session-streams.ts';
import type { ChangedList } from '../upstream/changes.ts';
import { defaultLogLevel } from '../upstream/log-level.ts';
import { SessionCalls } from './call-exchange.ts';
import type { HubEventListener } from './hub-events.ts';

export type SessionStart = {
  readonly id: string;
  /** The only credential that may use the session. */
  readonly owner: string;
  readonly personId: string;
  readonly revision: string;
  readonly capabilities: ClientCapabilities;
  readonly client: HubPrincipal['client'];
};

/** Counts a stream of notifications; returns a function that gives it back. Throws HUB_LISTENERS_LIMITED. */
export type StreamQuota = () => () => void;

type StopWatching = () => void;

const maxWatches = 200;
/** How long a client may take to open its stream without missing a message. */
const openingMs = 10_000;
const changeMessages: Readonly<Record<ChangedList, string>> = {
  tools: formatNotification('notifications/tools/list_changed'),
  prompts: formatNotification('notifications/prompts/list_changed'),
  resources: formatNotification('notifications/resources/list_changed'),
};

export class McpSession implements HubEventListener {
  readonly id: string;
  readonly owner: string;
  readonly personId: string;
  readonly revision: string;
  readonly capabilities: ClientCapabilities;
  readonly client: HubPrincipal['client'];
  readonly calls = new SessionCalls();
  readonly streams: SessionStreams;
  logLevel: string = defaultLogLevel;
  lastUsedMs: number;
  readonly #events: SessionEvents;
  /** By public URI. */
  readonly #watches = new Map<string, Promise<StopWatching>>();

  constructor(
    { id, owner, personId, revision, capabilities, client }: SessionStart,
    clock: Pick<Clock, 'monotonicMs'>,
    retention: StreamRetention,
  ) {
    this.id = id;
    const startedMs = clock.monotonicMs();
    this.#events = new SessionEvents(() => clock.monotonicMs() - startedMs < openingMs);
    this.streams = new SessionStreams({ id, revision }, retention);
    this.owner = owner;
    this.personId = personId;
    this.revision = revision;
    this.capabilities = capabilities;
    this.client = client;
    this.lastUsedMs = startedMs;
  }

  onChanged(list: ChangedList): void {
    this.#events.send(changeMessages[list]);
  }

  onUpdated(uri: string): void {
    if (this.#watches.has(uri)) this.#events.send(formatUpdated(uri));
  }

  notify(method: string, params: Record<string, unknown>): void {
    this.#events.send(formatNotification(method, params));
  }

  /** Asks the client on the stream that belongs to no request. Rejects with its error, and if it does not listen. */
  async ask(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    if (!this.#events.isListening)
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'the caller does not listen');
    return this.calls.askApart((id) => this.#events.send(JSON.stringify({ jsonrpc: '2.0', id, method, params })));
  }

  sendHeartbeat(): void {
    this.#events.sendHeartbeat();
    this.calls.keepAlive();
  }

  /**
   * The stream of messages that belong to no request, or what follows an event of a response; undefined if that is lost. A new
   * stream replaces the last one before it is counted. Throws what `openStream` throws.
   */
  listen(lastEventId: string | null, openStream: StreamQuota): StreamReply | undefined {
    if (lastEventId !== null && this.streams.isEventId(lastEventId)) return this.streams.resume(lastEventId);
    const { id: sessionId, revision } = this;
    const createRefresh = (): string[] => [
      ...Object.values(changeMessages),
      ...[...this.#watches.keys()].map(formatUpdated),
    ];
    this.#events.stopListening();
    return this.#events.listen({ sessionId, revision, lastEventId, createRefresh, onClosed: openStream() });
  }

  /** Throws RangeError for too many, and what `watch` throws. */
  async subscribe(uri: string, watch: (uri: string) => Promise<StopWatching>): Promise<void> {
    if (!this.#watches.has(uri) && this.#watches.size >= maxWatches)
      throw new RangeError(`a session watches at most ${maxWatches} resources`);
    const watching = this.#watches.get(uri) ?? watch(uri);
    this.#watches.set(uri, watching);
    try {
      await watching;
    } catch (error) {
      if (this.#watches.get(uri) === watching) this.#watches.delete(uri);
      throw error;
    }
  }

  unsubscribe(uri: string): void {
    stopWatching(this.#watches.get(uri));
    this.#watches.delete(uri);
  }

  end(): void {
    for (const watching of this.#watches.values()) stopWatching(watching);
    this.#watches.clear();
    this.calls.endAll(new Error('the session has ended'));
    this.streams.close();
    this.#events.close();
  }
}

function stopWatching(watching: Promise<StopWatching> | undefined): void {
  watching?.then((stop) => stop()).catch(() => {});
}

function formatNotification(method: string, params?: Record<string, unknown>): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

function formatUpdated(uri: string): string {
  return formatNotification('notifications/resources/updated', { uri });
}
