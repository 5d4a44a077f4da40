/** A container engine on a unix socket that stores logs and records every request. */
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createLogFolder } from '../log-folder.ts';

type Test = Parameters<typeof createLogFolder>[0];
type Entry = { readonly stream: 1 | 2; readonly moment: string; readonly text: string };

/** `refusal` is the status of its log. */
export type FakeContainer = {
  readonly id: string;
  readonly service: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly tty: boolean;
  state: string;
  startedAt: string;
  image: string;
  refusal: number | undefined;
  readonly history: Entry[];
  readonly followers: Set<ServerResponse>;
};

const pieceBytes = 16_384;

/** All requests that the log reader may send for the project `shop`. */
const allowed = [
  /^GET \/containers\/json\?all=1&filters=%7B%22label%22%3A%5B%22com\.docker\.compose\.project%3Dshop%22%5D%7D$/,
  /^GET \/events\?filters=%7B%22type%22%3A%5B%22container%22%5D%2C%22event%22%3A%5B%22start%22%5D%2C%22label%22%3A%5B%22com\.docker\.compose\.project%3Dshop%22%5D%7D$/,
  /^GET \/containers\/[0-9a-f]{64}\/json$/,
  /^GET \/containers\/[0-9a-f]{64}\/logs\?stdout=1&stderr=1&timestamps=1&tail=1$/,
  /^GET \/containers\/[0-9a-f]{64}\/logs\?follow=1&stdout=1&stderr=1&timestamps=1&tail=(all|\d+)$/,
];

/** An encoded line as the engine sends it: pieces of 16 KiB, in frames unless there is a terminal. */
function encodeEntry({ stream, moment, text }: Entry, tty: boolean): Buffer {
  const fullLine = Buffer.from(`${text}${tty ? '\r\n' : '\n'}`);
  const pieces: Buffer[] = [];
  for (let offset = 0; offset < fullLine.length; offset += pieceBytes) {
    const payload = Buffer.concat([Buffer.from(`${moment} `), fullLine.subarray(offset, offset + pieceBytes)]);
    const header = Buffer.alloc(8);
    header.writeUInt8(stream, 0);
    header.writeUInt32BE(payload.length, 4);
    pieces.push(tty ? payload : Buffer.concat([header, payload]));
  }
  return Buffer.concat(pieces);
}

export async function startFakeEngine(t: Test) {
  const socketPath = join(createLogFolder(t), 'e.sock');
  const containers: FakeContainer[] = [];
  const requests: string[] = [];
  const listeners = new Set<ServerResponse>();
  let ticks = 0;
  let listStatus = 200;

  function nextMoment(): string {
    ticks += 1;
    return `${new Date().toISOString().slice(0, -1)}${String(ticks).padStart(6, '0')}Z`;
  }

  function list(response: ServerResponse): void {
    const rows = containers.map(({ id, service, labels, state }) => ({
      Id: id,
      Names: [`/shop-${service}-1`],
      State: state,
      Labels: labels,
    }));
    response.writeHead(listStatus, { 'content-type': 'application/json' }).end(JSON.stringify(rows));
  }

  function describe(response: ServerResponse, id: string): void {
    const container = containers.find((candidate) => candidate.id === id);
    response.writeHead(container ? 200 : 404).end(
      JSON.stringify({
        State: { StartedAt: container?.startedAt },
        Image: container?.image,
        Config: { Env: ['PASSWORD=hunter2'] },
      }),
    );
  }

  function log(response: ServerResponse, id: string, parameters: URLSearchParams): void {
    const container = containers.find((candidate) => candidate.id === id);
    if (!container) return void response.writeHead(404).end('{"message":"No such container"}');
    if (container.refusal) return void response.writeHead(container.refusal).end('{"message":"refused"}');
    const { history, tty, state, followers } = container;
    const tail = parameters.get('tail');
    response.writeHead(200).flushHeaders();
    for (const entry of tail === 'all' ? history : history.slice(-Number(tail)))
      response.write(encodeEntry(entry, tty));
    if (!parameters.has('follow') || state !== 'running') return void response.end();
    followers.add(response);
    response.once('close', () => followers.delete(response));
  }

  const server = createServer((incoming, response) => {
    const { method, url = '' } = incoming;
    requests.push(`${method} ${url}`);
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    if (pathname === '/containers/json') list(response);
    else if (pathname === '/events') {
      response.writeHead(200).flushHeaders();
      listeners.add(response);
    } else if (pathname.endsWith('/json')) describe(response, pathname.split('/')[2] ?? '');
    else log(response, pathname.split('/')[2] ?? '', searchParams);
  });
  const listening = (): Promise<unknown> => new Promise((done) => server.listen(socketPath, () => done(undefined)));
  await listening();
  const stop = (): Promise<unknown> =>
    new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    });
  t.teardown(stop);

  return {
    socketPath,
    requests,
    containers,
    engine: { socketPath, project: 'shop' },
    /** Requests that a log reader must not send. */
    trespasses: () => requests.filter((line) => !allowed.some((shape) => shape.test(line))),
    answerListWith(status: number) {
      listStatus = status;
    },
    add(service: string, more: Partial<FakeContainer> = {}): FakeContainer {
      const id = (containers.length + 10).toString(16).padStart(64, 'abc');
      const startedAt = new Date(Date.now() - 60_000).toISOString();
      const labels = { 'com.docker.compose.project': 'shop', 'com.docker.compose.service': service };
      const defaults = {
        id,
        service,
        labels,
        tty: false,
        state: 'running',
        refusal: undefined,
        startedAt,
        image: `sha256:${id}`,
      };
      const container: FakeContainer = { ...defaults, history: [], followers: new Set(), ...more };
      containers.push(container);
      return container;
    },
    emitStart() {
      for (const listener of listeners) listener.write('{"Type":"container","Action":"start"}\n');
    },
    /** Encoded lines to be sent at once, without storing them. */
    framed: (texts: readonly string[]) =>
      Buffer.concat(texts.map((text) => encodeEntry({ stream: 1, moment: nextMoment(), text }, false))),
    send(container: FakeContainer, framed: Buffer) {
      for (const follower of container.followers) follower.write(framed);
    },
    write(container: FakeContainer, text: string, stream: 1 | 2 = 1, moment = nextMoment()) {
      const entry = { stream, moment, text };
      container.history.push(entry);
      for (const follower of container.followers) follower.write(encodeEntry(entry, container.tty));
    },
    /** Stops the container: followers of its log see its end. */
    halt(container: FakeContainer) {
      container.state = 'exited';
      for (const follower of container.followers) follower.end();
      container.followers.clear();
    },
    /** Breaks the connections of followers. */
    cut(container: FakeContainer) {
      for (const follower of container.followers) follower.destroy();
    },
    stop,
  };
}
