/** A response that is read as a whole, by a handler for undici's `dispatch`: the streams of `request` cost more than the call itself. */
import type { Dispatcher } from 'undici';
import { GrowingBuffer } from '../streams/growing-buffer.ts';
import { createTooLargeError } from './bounded-body.ts';

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Names of headers are in lower case. */
export type BufferedResponse = {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly bytes: Uint8Array;
};

/** `maxBytes`: a larger body rejects with ERR_RESPONSE_TOO_LARGE. */
export type BufferedRequest = Pick<Dispatcher.DispatchOptions, 'method' | 'headers' | 'body'> & {
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
};

/** Rejects with the reason of `signal`, which closes the connection as a body beyond the limit does. */
export function requestBuffered(
  dispatcher: Dispatcher,
  { url, signal, maxBytes, ...request }: BufferedRequest,
): Promise<BufferedResponse> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const reader = new ResponseReader(signal, maxBytes, resolve, reject);
    dispatcher.dispatch({ ...request, origin: url.origin, path: url.pathname + url.search }, reader);
  });
}

class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #maxBytes: number;
  readonly #resolve: (response: BufferedResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #bytes = new GrowingBuffer();
  readonly #onAbort = (): void => this.#fail(this.#signal.reason);
  #controller: Dispatcher.DispatchController | undefined;
  #head: Pick<BufferedResponse, 'status' | 'headers'> | undefined;
  #isSettled = false;

  constructor(
    signal: AbortSignal,
    maxBytes: number,
    resolve: (response: BufferedResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#signal = signal;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) controller.abort(new Error('not sent'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return;
    this.#head = { status, headers };
    if (Number(headers['content-length'] ?? 0) > this.#maxBytes) this.#fail(createTooLargeError(this.#maxBytes));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#bytes.append(chunk);
    if (this.#bytes.length > this.#maxBytes) this.#fail(createTooLargeError(this.#maxBytes));
  }

  onResponseEnd(): void {
    if (!this.#head || !this.#settle()) return;
    this.#resolve({ ...this.#head, bytes: this.#bytes.takeAll() });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#settle()) this.#reject(error);
  }

  #fail(error: unknown): void {
    if (!this.#settle()) return;
    this.#reject(error);
    this.#controller?.abort(new Error('its caller has what it needs', { cause: error }));
  }

  /** True the first time. */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
