/** A container engine that keeps logs and writes down every request, on a unix socket. */
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { folderFor } from './folder.ts';

type Test = Parameters<typeof folderFor>[0];
type Entry = { readonly stream: 1 | 2; readonly moment: string; readonly text: string };

/** A container as the test wants it; `refusal` is the status of its log. */
export type FakeContainer = {
  readonly id: string;
  readonly service: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly tty: boolean;
  state: string;
  refusal: number | undefined;
  readonly history: Entry[];
  readonly followers: Set<ServerResponse>;
};

const pieceBytes = 16_384;

/** All that the log reader may ever ask an engine for the project `shop`. */
const allowed = [
  /^GET \/containers\/json\?all=1&filters=%7B%22label%22%3A%5B%22com\.docker\.compose\.project%3Dshop%22%5D%7D$/,
  /^GET \/events\?filters=%7B%22type%22%3A%5B%22container%22%5D%2C%22event%22%3A%5B%22start%22%5D%2C%22label%22%3A%5B%22com\.docker\.compose\.project%3Dshop%22%5D%7D$/,
  /^GET \/containers\/[0-9a-f]{64}\/logs\?stdout=1&stderr=1&timestamps=1&tail=1$/,
  /^GET \/containers\/[0-9a-f]{64}\/logs\?follow=1&stdout=1&stderr=1&timestamps=1&tail=(all|\d+)$/,
];

/** The bytes of a line as the engine sends them: pieces of 16 KiB, in frames unless there is a terminal. */
function bytesOf({ stream, moment, text }: Entry, tty: boolean): Buffer {
  const whole = Buffer.from(`${text}${tty ? '\r\n' : '\n'}`);
  const pieces: Buffer[] = [];
  for (let at = 0; at < whole.length; at += pieceBytes) {
    const payload = Buffer.concat([Buffer.from(`${moment} `), whole.subarray(at, at + pieceBytes)]);
    const header = Buffer.alloc(8);
    header.writeUInt8(stream, 0);
    header.writeUInt32BE(payload.length, 4);
    pieces.push(tty ? payload : Buffer.concat([header, payload]));
  }
  return Buffer.concat(pieces);
}

/** Starts one; it ends with the test. */
export async function fakeEngine(t: Test) {
  const socketPath = join(folderFor(t), 'e.sock');
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

  function log(response: ServerResponse, id: string, parameters: URLSearchParams): void {
    const container = containers.find((one) => one.id === id);
    if (!container) return void response.writeHead(404).end('{"message":"No such container"}');
    if (container.refusal) return void response.writeHead(container.refusal).end('{"message":"refused"}');
    const { history, tty, state, followers } = container;
    const tail = parameters.get('tail');
    response.writeHead(200).flushHeaders();
    for (const entry of tail === 'all' ? history : history.slice(-Number(tail))) response.write(bytesOf(entry, tty));
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
    } else log(response, pathname.split('/')[2] ?? '', searchParams);
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
    /** Requests that no log reader may make. */
    trespasses: () => requests.filter((line) => !allowed.some((shape) => shape.test(line))),
    answerListWith(status: number) {
      listStatus = status;
    },
    add(service: string, more: Partial<FakeContainer> = {}): FakeContainer {
      const id = (containers.length + 10).toString(16).padStart(64, 'abc');
      const labels = { 'com.docker.compose.project': 'shop', 'com.docker.compose.service': service };
      const usual = { id, service, labels, tty: false, state: 'running', refusal: undefined };
      const container: FakeContainer = { ...usual, history: [], followers: new Set(), ...more };
      containers.push(container);
      return container;
    },
    tellStart() {
      for (const listener of listeners) listener.write('{"Type":"container","Action":"start"}\n');
    },
    /** Lines as they stand on the wire, to be sent at once and kept nowhere. */
    framed: (texts: readonly string[]) =>
      Buffer.concat(texts.map((text) => bytesOf({ stream: 1, moment: nextMoment(), text }, false))),
    send(container: FakeContainer, framed: Buffer) {
      for (const follower of container.followers) follower.write(framed);
    },
    write(container: FakeContainer, text: string, stream: 1 | 2 = 1, moment = nextMoment()) {
      const entry = { stream, moment, text };
      container.history.push(entry);
      for (const follower of container.followers) follower.write(bytesOf(entry, container.tty));
    },
    /** The container stops: who follows its log sees its end. */
    halt(container: FakeContainer) {
      container.state = 'exited';
      for (const follower of container.followers) follower.end();
      container.followers.clear();
    },
    /** Breaks the connections of those who follow. */
    cut(container: FakeContainer) {
      for (const follower of container.followers) follower.destroy();
    },
    stop,
  };
}
