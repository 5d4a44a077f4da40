/**
 * A request of node:http with the members of a web request that most handlers need. A web request, its headers and its body
 * stream cost more than a handler that only relays. Only for bodies of a declared, small size: reading starts at once, so
 * that a complete request counts although its caller disconnects.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GrowingBuffer } from '../../streams/growing-buffer.ts';

/** Reads the headers as the web's `Headers` do: names in any case, repeated ones joined. */
class NodeHeaders {
  readonly #raw: readonly string[];

  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  get(name: string): string | null {
    const lowerName = name.toLowerCase();
    let value: string | null = null;
    for (let index = 0; index < this.#raw.length; index += 2) {
      const rawName = this.#raw[index] ?? '';
      if (rawName.length !== name.length || rawName.toLowerCase() !== lowerName) continue;
      const next = this.#raw[index + 1] ?? '';
      value = value === null ? next : `${value}, ${next}`;
    }
    return value;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }
}

export class NodeRequest {
  readonly headers: NodeHeaders;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #content: Promise<Uint8Array>;
  #bytes: Uint8Array | undefined;
  #controller: AbortController | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.headers = new NodeHeaders(incoming.rawHeaders);
    this.#content = readContent(incoming, (bytes) => {
      this.#bytes = bytes;
    });
    this.#content.catch(() => undefined);
  }

  get method(): string {
    return this.#incoming.method ?? 'GET';
  }

  get url(): string {
    return `http://${this.#incoming.headers.host}${this.#incoming.url}`;
  }

  /** Aborted when the caller disconnects before the end of the response. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    this.onceLeft(() => controller.abort(createDisconnectedError()));
    return controller.signal;
  }

  /** Calls `listener` when the caller disconnects before the end of the response; returns a function that stops it. */
  onceLeft(listener: () => void): () => void {
    const outgoing = this.#outgoing;
    const onClose = (): void => {
      if (!outgoing.writableFinished) listener();
    };
    if (outgoing.closed) onClose();
    // It comes once, and `once` costs more.
    else outgoing.on('close', onClose);
    return () => outgoing.off('close', onClose);
  }

  /** The whole body, where it has arrived. */
  get arrivedBytes(): Uint8Array | undefined {
    return this.#bytes;
  }

  /** The whole body. Rejects when the caller disconnects before its end. */
  readBytes(): Promise<Uint8Array> {
    return this.#content;
  }
}

function readContent(incoming: IncomingMessage, onArrived: (bytes: Uint8Array) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const content = new GrowingBuffer();
    incoming.on('data', (chunk: Buffer) => content.append(chunk));
    incoming.on('error', reject);
    incoming.on('close', () => {
      if (!incoming.readableEnded) reject(createDisconnectedError());
    });
    incoming.on('end', () => {
      const bytes = content.takeAll();
      onArrived(bytes);
      resolve(bytes);
    });
  });
}

function createDisconnectedError(): Error {
  return new Error('the caller has disconnected');
}
