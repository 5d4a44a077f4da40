/** An HTTP proxy that loses, cuts, delays, doubles and replays calls. Its address stays while the server behind it changes. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { getPort } from '../targets/raw-target.ts';
import type { SeededRandom } from './seeded-random.ts';

/**
 * Cut: the response ends in the middle. Double: the server gets the request twice, the caller one response. Replay: the
 * server gets the request again later, when nobody waits for its response.
 */
export const networkFaults = ['lost request', 'lost response', 'cut', 'delay', 'double', 'replay'] as const;
export type NetworkFault = (typeof networkFaults)[number];

/** The probability of each fault; those that are absent do not happen. */
export type FaultRates = Readonly<Partial<Record<NetworkFault, number>>>;

/** A call that the server answered, whether or not the response reached the caller. */
export type Exchange = { readonly path: string; readonly request: string; readonly status: number };

export type FaultyProxy = {
  readonly url: string;
  readonly faults: ReadonlyMap<NetworkFault, number>;
  forwardTo(url: string): void;
  /** From now on there are no faults, and calls that wait to be replayed are dropped. */
  heal(): void;
  close(): Promise<void>;
};

type Call = { readonly method: string; readonly path: string; readonly headers: object; readonly body: Buffer };

const maxDelayMs = 3000;
const maxReplayDelayMs = 20_000;
const maxRecordedBytes = 1_000_000;

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Passes a response on as it arrives; rejects if it breaks. */
async function relay(response: IncomingMessage, outgoing: ServerResponse, fault: NetworkFault | undefined) {
  const isLost = fault === 'lost response';
  if (!isLost) outgoing.writeHead(response.statusCode ?? 502, response.headers);
  for await (const piece of response) {
    const chunk = Buffer.from(piece);
    if (fault === 'cut') {
      outgoing.write(chunk.subarray(0, chunk.length / 2));
      outgoing.destroy();
    } else if (!isLost) outgoing.write(chunk);
  }
  if (isLost) outgoing.destroy();
  else outgoing.end();
}

export async function startFaultyProxy(
  random: SeededRandom,
  rates: FaultRates,
  onExchange: (exchange: Exchange) => void = () => undefined,
): Promise<FaultyProxy> {
  const faults = new Map<NetworkFault, number>();
  const healed = new AbortController();
  let upstream = '';

  function drawFault(): NetworkFault | undefined {
    let draw = random.fraction();
    if (healed.signal.aborted) return undefined;
    for (const fault of networkFaults) {
      draw -= rates[fault] ?? 0;
      if (draw >= 0) continue;
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
      return fault;
    }
    return undefined;
  }

  async function send({ method, path, headers, body }: Call, signal?: AbortSignal): Promise<IncomingMessage> {
    const outgoing = request(`${upstream}${path}`, { method, headers: { ...headers }, agent: false, signal });
    outgoing.end(body);
    const [response]: IncomingMessage[] = await once(outgoing, 'response');
    if (!response) throw new Error('no response');
    response.once('end', () => {
      const text = body.length > maxRecordedBytes ? '' : body.toString();
      onExchange({ path, request: text, status: response.statusCode ?? 0 });
    });
    return response;
  }

  /** Sends a call for which nobody waits. */
  async function sendAlone(call: Call, delayMs: number): Promise<void> {
    try {
      await sleepFor(delayMs, undefined, { signal: healed.signal });
      const response = await send(call, AbortSignal.timeout(maxReplayDelayMs));
      for await (const _ of response);
    } catch {
      // The server is down, or there is a time limit: nobody waits.
    }
  }

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const fault = drawFault();
    const { method = 'GET', url: path = '/', headers } = incoming;
    const call = { method, path, headers, body: await readBody(incoming) };
    if (fault === 'lost request') return void outgoing.destroy();
    if (fault === 'delay')
      await sleepFor(random.integer(1, maxDelayMs), undefined, { signal: healed.signal }).catch(() => undefined);
    if (fault === 'replay') void sendAlone(call, random.integer(1, maxReplayDelayMs));
    if (fault === 'double') void sendAlone(call, random.integer(0, 5));
    const gone = new AbortController();
    // A caller that gave up must not cancel what is to be lost only on its way back.
    if (fault !== 'lost response') outgoing.once('close', () => gone.abort());
    await relay(await send(call, gone.signal), outgoing, fault);
  }

  const server = createServer((incoming, outgoing) => {
    outgoing.on('error', () => undefined);
    forward(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.keepAliveTimeout = 1000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${getPort(server)}`,
    faults,
    forwardTo(url) {
      upstream = url;
    },
    heal: () => healed.abort(),
    async close() {
      healed.abort();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
