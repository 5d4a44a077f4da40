/**
 * MCP over the older HTTP with SSE (2024-11-05): an event stream carries all messages of the server and names the address to
 * post to. The server forgets the session when the stream ends, so the connection ends with it.
 */
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { UpstreamFetch } from '../../outbound/guarded-fetch.ts';
import type { UpstreamResponse } from '../../outbound/upstream-response-reader.ts';
import { readEvents } from '../../streams/event-reader.ts';
import { withTimeout } from '../../timing/timeout.ts';
import { discardBody, throwHttpError } from './http-errors.ts';
import type { LinkEvents, MessageLink } from './message-link.ts';

export type SseLinkOptions = {
  readonly url: URL;
  /** Sends a request with the connection's credential. */
  readonly request: UpstreamFetch<UpstreamResponse>;
  /** The name of the connection. */
  readonly connection: string;
  /** For the stream to name its address. */
  readonly connectMs: number;
  /** For a message to be accepted; some servers accept a request when they have handled it. */
  readonly postMs: number;
  readonly clock: Pick<Clock, 'after'>;
};

export class SseLink implements MessageLink {
  readonly isProgram = false;
  readonly #options: SseLinkOptions;
  readonly #controller = new AbortController();
  readonly #endpoint = Promise.withResolvers<URL>();
  #events: LinkEvents | undefined;
  #revision: string | undefined;

  constructor(options: SseLinkOptions) {
    this.#options = options;
    this.#endpoint.promise.catch(() => {});
  }

  async open(events: LinkEvents): Promise<void> {
    const { connection, connectMs, clock } = this.#options;
    this.#events = events;
    const createError = () => vpError('UPSTREAM_TIMED_OUT', { connection, timeout_s: Math.round(connectMs / 1000) });
    try {
      await withTimeout({ clock, timeoutMs: connectMs, createError }, () => this.#openStream());
    } catch (error) {
      this.#end(error);
      throw error;
    }
  }

  async #openStream(): Promise<void> {
    const { url, request } = this.#options;
    const headers = { accept: 'text/event-stream' };
    const response = await request(url, { headers, signal: this.#controller.signal });
    if (response.status !== 200) await throwHttpError(response, undefined);
    if (!(response.body instanceof ReadableStream))
      throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'the response is not an event stream');
    void this.#read(response.body);
    await this.#endpoint.promise;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const { event, data } of readEvents(body)) {
        if (event === 'endpoint') this.#setEndpoint(data);
        else if (data !== '' && (event === undefined || event === 'message')) {
          const reading = this.#events?.onMessage(data);
          if (reading) await reading;
        }
      }
      this.#end(new SdkError(SdkErrorCode.ConnectionClosed, 'the stream has ended'));
    } catch (error) {
      this.#end(error);
    }
  }

  /** Messages and the credential go to the origin of the connection only. */
  #setEndpoint(path: string): void {
    const { url } = this.#options;
    const endpoint = URL.parse(path, url);
    if (endpoint?.origin === url.origin) this.#endpoint.resolve(endpoint);
    else {
      const { connection } = this.#options;
      throw vpError('UPSTREAM_ANSWER_INVALID', { connection, problem: 'its stream names another server to post to' });
    }
  }

  send(text: string, onError: (error: unknown) => void, onSent: () => void = () => {}): void {
    this.#post(text).then(onSent, onError);
  }

  async #post(text: string): Promise<void> {
    const { request, postMs } = this.#options;
    const headers = {
      'content-type': 'application/json',
      ...(this.#revision === undefined ? {} : { 'mcp-protocol-version': this.#revision }),
    };
    const signal = AbortSignal.any([this.#controller.signal, AbortSignal.timeout(postMs)]);
    const response = await request(await this.#endpoint.promise, { method: 'POST', headers, body: text, signal });
    if (response.status < 200 || response.status > 299) await throwHttpError(response, undefined);
    await discardBody(response);
  }

  setRevision(revision: string): void {
    this.#revision = revision;
  }

  #end(reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error('the connection was interrupted');
    const events = this.#events;
    this.#events = undefined;
    this.#endpoint.reject(error);
    this.#controller.abort(error);
    events?.onClose(error);
  }

  async close(): Promise<void> {
    this.#end(new SdkError(SdkErrorCode.ConnectionClosed, 'the connection was closed'));
  }
}
