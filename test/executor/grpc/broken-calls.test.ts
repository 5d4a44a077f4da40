/** Servers of HTTP/2 that end a call in no way that gRPC has: none of them is ever an answer. */
import type { ServerHttp2Stream } from 'node:http2';
import t, { type Test } from 'tap';
import { embedFiles } from '../../../src/scenario/embedded-files.ts';
import { readProtoFile } from '../../targets/grpc-target.ts';
import { findFailureCode } from '../failure-code.ts';
import { scenarioText } from '../test-project.ts';
import { startHttp2Target } from './http2-target.ts';

const grpcHead = { ':status': 200, 'content-type': 'application/grpc+proto' };
/** An order with the number 7, and half of it. */
const order = Buffer.from([0, 0, 0, 0, 2, 8, 7]);
const half = order.subarray(0, 6);

async function startRawTarget(t: Test, respond: (stream: ServerHttp2Stream) => void) {
  const run = await startHttp2Target(t, respond);
  const proto = 'proto: shop/v1/orders.proto\nX-Request-Id: ${correlation_id}';
  return (checks: readonly string[], method = 'GetOrder') => {
    const text = scenarioText(`GRPC shop.v1.Orders/${method}\n${proto}\n\n~~~json\n{}\n~~~`, checks);
    return run(embedFiles(text, readProtoFile));
  };
}

function respondWith(stream: ServerHttp2Stream, bytes: Buffer, trailers?: Readonly<Record<string, string>>): void {
  stream.respond(grpcHead, { waitForTrailers: trailers !== undefined });
  stream.on('wantTrailers', () => stream.sendTrailers({ ...trailers }));
  stream.end(bytes);
}

const broken: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  'no trailers': (stream) => respondWith(stream, order),
  'trailers without a status': (stream) => respondWith(stream, order, { 'x-any': 'thing' }),
  'a status that is no number': (stream) => respondWith(stream, order, { 'grpc-status': 'OK' }),
  'OK without a message': (stream) => respondWith(stream, Buffer.alloc(0), { 'grpc-status': '0' }),
  'OK with two messages': (stream) => respondWith(stream, Buffer.concat([order, order]), { 'grpc-status': '0' }),
  'half a message': (stream) => respondWith(stream, half, { 'grpc-status': '0' }),
  'a compressed message': (stream) => respondWith(stream, Buffer.from([1, 0, 0, 0, 1, 7]), { 'grpc-status': '0' }),
  'bytes that are none of the schema': (stream) =>
    respondWith(stream, Buffer.from([0, 0, 0, 0, 1, 255]), { 'grpc-status': '0' }),
  'a reset after a message': (stream) => {
    stream.respond(grpcHead);
    stream.write(order, () => stream.close(2));
  },
  'a reset in place of a head': (stream) => stream.close(7),
};

for (const [name, respond] of Object.entries(broken))
  t.test(`${name} is no answer`, async (t) => {
    const run = await startRawTarget(t, respond);
    const report = await run(['status=200']);
    t.equal(report.result, 'failed');
    t.equal(findFailureCode(report.failure), 'EXECUTOR_GRPC_BROKEN', report.failure?.message ?? '');
    const stream = await run(['receive messages'], 'WatchOrder');
    if (!name.startsWith('OK with')) t.equal(stream.result, name === 'OK without a message' ? 'passed' : 'failed');
  });

t.test('a connection that closes is no answer', async (t) => {
  const run = await startRawTarget(t, (stream) => stream.session?.destroy());
  t.match(await run(['status=200']), { result: 'failed', failure: { kind: 'protocol_error' } });
});

t.test('a response that is none of gRPC is judged as it is', async (t) => {
  const run = await startRawTarget(t, (stream) => {
    stream.respond({ ':status': 502, 'content-type': 'application/json' });
    stream.end('{"message":"no upstream"}');
  });
  t.match(await run(['status=502', 'body has message equals no upstream']), { result: 'passed' });
  t.match(await run(['status=502', 'receive messages'], 'WatchOrder'), { result: 'failed' });
  const page = await startRawTarget(t, (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'text/html' });
    stream.end('<p>hello</p>');
  });
  t.match(await page(['status=200', 'body has orderId']), { result: 'failed' });
});

t.test('a status in the head alone is one', async (t) => {
  const run = await startRawTarget(t, (stream) =>
    stream.respond({ ...grpcHead, 'grpc-status': '7', 'grpc-message': '%E2%82%AC%' }, { endStream: true }),
  );
  t.match(await run(['status=403', 'body has code equals 7', 'header grpc-message equals %E2%82%AC%']), {
    result: 'passed',
  });
});

t.test('trailers outweigh a status in the head', async (t) => {
  const run = await startRawTarget(t, (stream) => {
    stream.respond({ ...grpcHead, 'grpc-status': '0', 'grpc-message': 'fine' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '13', 'grpc-message': 'lost' }));
    stream.end(order);
  });
  t.match(await run(['status=200']), { result: 'failed', failure: { kind: 'status_mismatch' } });
  t.match(await run(['status=500', 'header grpc-status equals 13', 'body has message equals lost']), {
    result: 'passed',
  });
  t.match(await run(['receive messages'], 'WatchOrder'), { result: 'failed' });
});
