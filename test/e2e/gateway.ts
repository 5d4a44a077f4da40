/**
 * Stands between the control plane and those who call it, at an address that stays while either side is killed. A test can
 * stop a call here: before the control plane has it, or when its answer is on the way back.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Test } from 'tap';
import { portOf } from '../targets/raw-target.ts';

/** Where a call is stopped. */
export type Leg = 'request' | 'answer';

/** `reached` resolves when a call is stopped. It never goes on: its connection breaks when the stop is lifted. */
export type Stop = { readonly reached: Promise<void>; lift(): void };

/** See the file's header. */
export type Gateway = {
  readonly url: string;
  /** Where calls go from now on. */
  to(url: string): void;
  /** Stops every call whose path ends with `end`, until it is lifted. */
  stop(end: string, leg: Leg, matches?: (body: string) => boolean): Stop;
};

type Rule = {
  readonly end: string;
  readonly leg: Leg;
  readonly stopped: Set<ServerResponse>;
  matches(body: string): boolean;
  reached(): void;
};

async function textOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Listens on a free port of 127.0.0.1. */
export async function gateway(t: Test): Promise<Gateway> {
  const rules = new Set<Rule>();
  let upstream = '';

  function stopped(url: string, outgoing: ServerResponse, leg: Leg, body: Buffer): boolean {
    const path = url.replace(/\?.*$/, '');
    const rule = [...rules].find((one) => one.leg === leg && path.endsWith(one.end) && one.matches(body.toString()));
    rule?.stopped.add(outgoing);
    rule?.reached();
    return rule !== undefined;
  }

  /** A call breaks when either side does. */
  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method, headers, url = '' } = incoming;
    const body = await textOf(incoming);
    if (stopped(url, outgoing, 'request', body)) return;
    const onwards = request(`${upstream}${url}`, { method, headers, agent: false });
    outgoing.once('close', () => onwards.destroy());
    onwards.on('error', () => outgoing.destroy());
    onwards.end(body);
    onwards.on('response', async (answer) => {
      try {
        const text = await textOf(answer);
        if (stopped(url, outgoing, 'answer', text)) return;
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(text);
      } catch {
        outgoing.destroy();
      }
    });
  }

  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    to(url) {
      upstream = url;
    },
    stop(end, leg, matches = () => true) {
      const { promise: reached, resolve } = Promise.withResolvers<void>();
      const rule: Rule = { end, leg, matches, reached: resolve, stopped: new Set() };
      rules.add(rule);
      const lift = (): void => {
        rules.delete(rule);
        for (const outgoing of rule.stopped) outgoing.destroy();
      };
      return { reached, lift };
    },
  };
}
