/** A server of the oldest way over HTTP: a stream of events that names an address to post to (2024-11-05). */
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';

/** It, and what tests change of it. */
export type SseServer = {
  answer(request: Request): Promise<Response>;
  /** Ends all streams and forgets everybody, as a restart does. */
  forget(): void;
  /** What streams name as the address to post to; undefined for its own. */
  endpoint: string | undefined;
  streams: number;
};

class EventTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(endpoint: string) {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
        this.#event('endpoint', endpoint);
      },
      cancel: () => this.onclose?.(),
    });
  }

  #event(name: string, data: string): void {
    this.#controller?.enqueue(new TextEncoder().encode(`event: ${name}\ndata: ${data}\n\n`));
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#event('message', JSON.stringify(message));
  }

  async close(): Promise<void> {
    try {
      this.#controller?.close();
    } catch {
      // Its reader has left already.
    }
    this.onclose?.();
  }
}

/** Serves what `make` makes, one for each stream. */
export function sseServer(make: () => Server): SseServer {
  const open = new Map<string, EventTransport>();
  const served: SseServer = {
    endpoint: undefined,
    streams: 0,
    forget() {
      for (const transport of open.values()) void transport.close();
      open.clear();
    },
    async answer(request) {
      const { searchParams, pathname } = new URL(request.url);
      if (request.method === 'GET') {
        const id = crypto.randomUUID();
        const transport = new EventTransport(served.endpoint ?? `${pathname}?session=${id}`);
        open.set(id, transport);
        served.streams += 1;
        await make().connect(transport);
        return new Response(transport.stream, { headers: { 'Content-Type': 'text/event-stream' } });
      }
      const transport = open.get(searchParams.get('session') ?? '');
      if (!transport) return new Response('no such session', { status: 404 });
      transport.onmessage?.(await request.json());
      return new Response('accepted', { status: 202 });
    },
  };
  return served;
}
