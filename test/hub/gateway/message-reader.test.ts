/** Bodies of MCP requests: what is refused, before it costs. */
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import {
  anonymousMessageLimits,
  callerMessageLimits,
  type MessageLimits,
  readMessage,
} from '../../../src/hub/gateway/message-reader.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { measureSmallest } from '../../smallest-measurement.ts';
import { initialize } from '../fixtures/mcp-requests.ts';

function createRequest(body: BodyInit, headers: Record<string, string> = {}): Request {
  const init = { method: 'POST', body, headers, duplex: 'half' };
  return new Request('http://localhost/mcp', init);
}

async function read(body: BodyInit, limits: MessageLimits, headers?: Record<string, string>) {
  const message = await readMessage(createRequest(body, headers), limits, systemClock);
  if (!(message instanceof Response)) return { status: 200, message: '' };
  const { error } = await message.json();
  return { status: message.status, message: String(error.message) };
}

/** With a declared length, as clients send it. */
function readDeclared(text: string, limits: MessageLimits) {
  return read(text, limits, { 'content-length': String(Buffer.byteLength(text)) });
}

function createKeys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
}

function createInitialize(experimental: unknown): string {
  return JSON.stringify({ ...initialize, params: { ...initialize.params, capabilities: { experimental } } });
}

function createCall(args: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', arguments: args } });
}

t.test('without a token a message has a few kilobytes, values and levels', async (t) => {
  t.same(await readDeclared(JSON.stringify(initialize), anonymousMessageLimits), { status: 200, message: '' });
  const tooLong = createInitialize({ text: 'x'.repeat(9000) });
  t.match(await readDeclared(tooLong, anonymousMessageLimits), { status: 413, message: /8192 bytes/ });
  t.match(await read(tooLong, anonymousMessageLimits), { status: 413 }, 'without a declared length');
  t.match(await readDeclared(createInitialize(createKeys(400)), anonymousMessageLimits), {
    status: 413,
    message: /300 values/,
  });
  t.match(await readDeclared('['.repeat(5000), anonymousMessageLimits), { status: 413, message: /16 levels/ });
});

t.test('a caller may send long arguments, but not many values around them', async (t) => {
  t.equal((await readDeclared(createCall({ text: 'x'.repeat(4_000_000) }), callerMessageLimits)).status, 200);
  t.equal((await readDeclared(createCall(createKeys(9000)), callerMessageLimits)).status, 200);
  t.match(await readDeclared(createCall(createKeys(30_000)), callerMessageLimits), {
    status: 413,
    message: /20000 values/,
  });
  t.match(await readDeclared(createInitialize(createKeys(400)), callerMessageLimits), {
    status: 413,
    message: /250 values/,
  });
  const nested = createInitialize({ arguments: createKeys(400) });
  t.equal((await readDeclared(nested, callerMessageLimits)).status, 413, 'arguments are only those of the message');
  const batch = `[${Array.from({ length: 60 }, () => createCall({})).join()}]`;
  t.equal((await readDeclared(batch, callerMessageLimits)).status, 413, 'a batch is one message');
});

const maxProcessorUs = 500_000;

t.test('what is refused costs little, however long it is', async (t) => {
  const hostile = [createInitialize(createKeys(200_000)), '['.repeat(4_000_000), `[${'[],'.repeat(1_000_000)}1]`];
  for (const body of hostile) {
    const processorUs = await measureSmallest(maxProcessorUs, async () => {
      const before = process.cpuUsage();
      t.equal((await readDeclared(body, callerMessageLimits)).status, 413);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    });
    t.ok(processorUs <= maxProcessorUs, 'of which 4,000,000 were used once');
  }
});

t.test('text that is not JSON, or encoded', async (t) => {
  t.match(await readDeclared('{"a":', callerMessageLimits), { status: 400, message: 'Parse error' });
  t.match(await read(new Uint8Array([0x22, 0xff, 0x22]), callerMessageLimits), { status: 400 });
  t.match(await read('x', callerMessageLimits, { 'content-encoding': 'gzip' }), { status: 415 });
});

t.test('a body that does not arrive in time ends the connection', async (t) => {
  const clock = fakeClock();
  const server = createServer(async (incoming, outgoing) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        incoming.on('data', (chunk: Buffer) => controller.enqueue(chunk));
      },
    });
    const pending = readMessage(createRequest(body), callerMessageLimits, clock);
    incoming.once('data', () => clock.advance(callerMessageLimits.timeoutMs));
    const response = await pending;
    if (!(response instanceof Response)) return;
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(await response.text());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  const { port }: AddressInfo = Object(server.address());
  const status = await new Promise((resolve, reject) => {
    const dripping = httpRequest({ port, host: '127.0.0.1', method: 'POST' }, (incoming) => {
      resolve([incoming.statusCode, incoming.headers.connection]);
      dripping.destroy();
    });
    dripping.on('error', reject);
    dripping.write('{');
  });
  t.same(status, [408, 'close']);
});
