/**
 * A proxy between the control plane and its callers, whose address does not change when either side is killed. A test can
 * stop a call here: before the control plane gets it, or when the response is on the way back.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Test } from 'tap';
import { getPort } from '../targets/raw-target.ts';

export type Direction = 'request' | 'answer';

/** `reached` resolves when a call is stopped. The call never continues: its connection breaks when the stop is lifted. */
export type GatewayStop = { readonly reached: Promise<void>; lift(): void };

export type Gateway = {
  readonly url: string;
  /** The destination of calls from now on. */
  forwardTo(url: string): void;
  /** Calls that have not ended, stopped ones not included. */
  countOpenCalls(): number;
  /** Stops every call whose path ends with `end`, until it is lifted. */
  stop(end: string, direction: Direction, matches?: (body: string) => boolean): GatewayStop;
  liftAll(): void;
};

type Rule = {
  readonly end: string;
  readonly direction: Direction;
  readonly stopped: Set<ServerResponse>;
  matches(body: string): boolean;
  reached(): void;
};

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Listens on a free port of 127.0.0.1. */
export async function startGateway(t: Test): Promise<Gateway> {
  const rules = new Set<Rule>();
  const openCalls = new Set<ServerResponse>();
  let upstream = '';

  function isStopped(url: string, outgoing: ServerResponse, direction: Direction, body: Buffer): boolean {
    const path = url.replace(/\?.*$/, '');
    const rule = [...rules].find(
      (candidate) =>
        candidate.direction === direction && path.endsWith(candidate.end) && candidate.matches(body.toString()),
    );
    rule?.stopped.add(outgoing);
    rule?.reached();
    return rule !== undefined;
  }

  function lift(rule: Rule): void {
    rules.delete(rule);
    for (const outgoing of rule.stopped) outgoing.destroy();
  }

  /** A call fails when either side does. */
  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method, headers, url = '' } = incoming;
    const body = await readBody(incoming);
    if (isStopped(url, outgoing, 'request', body)) return;
    const upstreamRequest = request(`${upstream}${url}`, { method, headers, agent: false });
    outgoing.once('close', () => upstreamRequest.destroy());
    upstreamRequest.on('error', () => outgoing.destroy());
    upstreamRequest.end(body);
    upstreamRequest.on('response', async (response) => {
      try {
        const text = await readBody(response);
        if (isStopped(url, outgoing, 'answer', text)) return;
        outgoing.writeHead(response.statusCode ?? 502, response.headers).end(text);
      } catch {
        outgoing.destroy();
      }
    });
  }

  const server = createServer((incoming, outgoing) => {
    openCalls.add(outgoing);
    outgoing.once('close', () => openCalls.delete(outgoing));
    forward(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    url: `http://127.0.0.1:${getPort(server)}`,
    forwardTo(url) {
      upstream = url;
    },
    countOpenCalls: () => [...openCalls].filter((call) => ![...rules].some(({ stopped }) => stopped.has(call))).length,
    stop(end, direction, matches = () => true) {
      const { promise: reached, resolve } = Promise.withResolvers<void>();
      const rule: Rule = { end, direction, matches, reached: resolve, stopped: new Set() };
      rules.add(rule);
      return { reached, lift: () => lift(rule) };
    },
    liftAll() {
      for (const rule of rules) lift(rule);
    },
  };
}
