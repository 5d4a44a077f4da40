/** Servers whose reflection answers with what is no schema, and calls that have no such method: a run fails, and the executor goes on. */
import type { ServerHttp2Stream } from 'node:http2';
import descriptor from 'protobufjs/ext/descriptor.js';
import t, { type Test } from 'tap';
import { encodeFrame } from '../../../src/executor/grpc/message-frames.ts';
import { parseProtoFiles } from '../../../src/executor/grpc/parse-proto.ts';
import { findFailureCode } from '../failure-code.ts';
import { scenarioText } from '../test-project.ts';
import { startHttp2Target } from './http2-target.ts';

function encodeField(number: number, bytes: Uint8Array): Buffer {
  const length: number[] = [];
  let rest = bytes.length;
  do {
    length.push((rest & 127) | (rest > 127 ? 128 : 0));
    rest >>= 7;
  } while (rest > 0);
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
}

/** `respond` answers every call, those of reflection among them. */
async function startTarget(t: Test, respond: (stream: ServerHttp2Stream, path: string) => void) {
  const run = await startHttp2Target(t, (stream, path) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    respond(stream, path);
  });
  return (method: string) => {
    const trigger = `GRPC ${method}\nX-Request-Id: \${correlation_id}\n\n~~~json\n{}\n~~~`;
    return run(scenarioText(trigger, ['status=200'], 1));
  };
}

/** The answer of reflection with these files. */
function encodeAnswer(...files: readonly Uint8Array[]): Buffer {
  return encodeFrame(encodeField(4, Buffer.concat(files.map((file) => encodeField(1, file)))));
}

function encodeFile(inputType: string, extra: object = {}): Uint8Array {
  const file = {
    name: 'shop.proto',
    package: 'shop',
    syntax: 'proto3',
    messageType: [{ name: 'Order' }],
    service: [{ name: 'Orders', method: [{ name: 'Get', inputType, outputType: '.shop.Order' }] }],
    ...extra,
  };
  return descriptor.FileDescriptorProto.encode(descriptor.FileDescriptorProto.fromObject(file)).finish();
}

/** `count` empty values of the field `number`, in two bytes each. */
function encodeEmpty(number: number, count: number): Buffer {
  return Buffer.alloc(count * 2, Buffer.from([number * 8 + 2, 0]));
}

const many = 2_000_001;
const invalid: Readonly<Record<string, Buffer>> = {
  'bytes that are no descriptor': encodeAnswer(Buffer.from([255, 255, 255])),
  'a method with a type that no file has': encodeAnswer(encodeFile('.shop.Missing')),
  'a field with a type that no file has': encodeAnswer(
    encodeFile('.shop.Order', {
      messageType: [
        { name: 'Order', field: [{ name: 'a', number: 1, label: 1, type: 11, typeName: '.shop.Missing' }] },
      ],
    }),
  ),
  'two types of one name': encodeAnswer(
    encodeFile('.shop.Order', { messageType: [{ name: 'Order' }, { name: 'Order' }] }),
  ),
  'a file of millions of empty types': encodeAnswer(encodeEmpty(4, many)),
};

for (const [name, answer] of Object.entries(invalid))
  t.test(`${name} is no schema`, async (t) => {
    const run = await startTarget(t, (stream) => stream.end(answer));
    const report = await run('shop.Orders/Get');
    t.equal(report.result, 'failed');
    t.equal(findFailureCode(report.failure), 'EXECUTOR_GRPC_SCHEMA_INVALID', report.failure?.message ?? '');
  });

t.test('an answer of millions of empty files is no schema', async (t) => {
  const run = await startTarget(t, (stream) => stream.end(encodeFrame(encodeField(4, encodeEmpty(1, many)))));
  t.equal(findFailureCode((await run('shop.Orders/Get')).failure), 'EXECUTOR_GRPC_BROKEN');
});

t.test('a message of millions of fields with defaults is no answer', async (t) => {
  const field = { label: 1, type: 3 };
  const rows = { name: 'rows', number: 1, label: 3, type: 11, typeName: '.shop.Row' };
  const numbers = Array.from({ length: 30 }, (_, index) => ({ ...field, name: `number_${index}`, number: index + 1 }));
  const messageType = [
    { name: 'Order', field: [rows] },
    { name: 'Row', field: numbers },
  ];
  const file = encodeFile('.shop.Order', { messageType });
  const run = await startTarget(t, (stream, path) =>
    stream.end(path === '/shop.Orders/Get' ? encodeFrame(encodeEmpty(1, 1_000_000)) : encodeAnswer(file)),
  );
  const report = await run('shop.Orders/Get');
  t.equal(findFailureCode(report.failure), 'EXECUTOR_GRPC_BROKEN');
  t.match(report.failure?.message, /more than 2000000 values/);
});

t.test('a schema whose files never come to an end takes no longer than the request may', async (t) => {
  let files = 0;
  const run = await startTarget(t, (stream) => {
    files += 1;
    const dependency = [`next_${files}.proto`];
    const answer = encodeAnswer(encodeFile('.shop.Order', { name: `file_${files}.proto`, dependency }));
    setTimeout(() => stream.end(answer), 60);
  });
  t.equal((await run('shop.Orders/Get')).failure?.kind, 'timeout');
});

t.test('a message of thousands of fields is no schema', async (t) => {
  const field = Array.from({ length: 3000 }, (_, index) => ({
    name: `f${index}`,
    number: index + 1,
    label: 1,
    type: 3,
  }));
  const file = encodeFile('.shop.Order', { messageType: [{ name: 'Order', field }] });
  const run = await startTarget(t, (stream) => stream.end(encodeAnswer(file)));
  t.match((await run('shop.Orders/Get')).failure?.message, /too many fields/);
});

t.test('a .proto file that takes long to read is refused', async (t) => {
  const parse = (text: string) => parseProtoFiles([{ path: 'a.proto', text: `syntax = "proto3";\n${text}` }]);
  const list = (length: number, line: (index: number) => string) =>
    Array.from({ length }, (_, at) => line(at)).join('\n');
  const fields = (length: number) => list(length, (at) => `int32 f${at} = ${at + 1};`);
  t.throws(() => parse(`message A { ${fields(3000)} }`), /^a\.proto: its messages have too many fields/);
  t.throws(() => parse(`message A { oneof x { ${fields(3000)} } }`), /too many fields/);
  t.throws(() => parse(`message A { ${fields(3000)}`), /too many fields/);
  const fileOptions = Array.from({ length: 3000 }, (_, index) => `option (a${index}).b = 1;`).join('\n');
  t.throws(() => parse(fileOptions), /too many options/);
  t.throws(() => parse(`option (a) = { ${'b: 1 '.repeat(3000)} };`), /too many options/);
  t.doesNotThrow(() => parse(`option (a) = { ${'b: 1 '.repeat(100)} };`));
  t.throws(() => parse(`option a = "${'\\"'.repeat(100_000)}`), /^a\.proto: what begins with " in line 2 does not end/);
  t.throws(() => parse('/*'.repeat(100_000)), /does not end/);
  t.ok(
    parse(
      `enum A { ${list(3000, (at) => `V${at} = ${at};`)} } message B { /* ; */ ${fields(300)} string s = 999; } // "`,
    ),
  );
});

for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty'])
  t.test(`a method ${name} is unknown`, async (t) => {
    const run = await startTarget(t, (stream) => stream.end(encodeAnswer(encodeFile('.shop.Order'))));
    t.equal(findFailureCode((await run(`shop.Orders/${name}`)).failure), 'EXECUTOR_GRPC_METHOD_UNKNOWN');
  });
