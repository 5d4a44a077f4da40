/** Messages as ProtoJSON, with every field that has a value in the target. */
import type protobuf from 'protobufjs';
import t from 'tap';
import { DecodingBudget } from '../../../src/executor/grpc/decoding-budget.ts';
import { decodeMessage, encodeMessage } from '../../../src/executor/grpc/message-json.ts';
import { parseProtoFiles } from '../../../src/executor/grpc/parse-proto.ts';

function readType(fields: string, syntax = 'proto3'): protobuf.Type {
  const imports = ['timestamp', 'duration', 'struct', 'wrappers', 'any', 'field_mask'].map(
    (name) => `import "google/protobuf/${name}.proto";`,
  );
  const text = `syntax = "${syntax}"; package a; ${imports.join('\n')}
enum State { NONE = 0; DONE = 1; }
message Inner { ${syntax === 'proto2' ? 'optional ' : ''}int32 n = 1; }
message M { ${fields} }`;
  return parseProtoFiles([{ path: 'a.proto', text }]).lookupType('a.M');
}

function roundTrip(type: protobuf.Type, json: string): unknown {
  return JSON.parse(decodeMessage(type, encodeMessage(type, json), new DecodingBudget()));
}

t.test('fields without presence have their default, the others are absent', async (t) => {
  const type =
    readType(`string text = 1; int64 long = 2; double real = 3; bool flag = 4; bytes data = 5; State state = 6;
    repeated Inner list = 7; map<string, Inner> entries = 8; Inner inner = 9; optional int32 maybe = 10;
    oneof choice { string a = 11; int32 b = 12; } google.protobuf.Timestamp at = 13; fixed32 fixed_number = 14;`);
  const defaults = {
    text: '',
    long: '0',
    real: 0,
    flag: false,
    data: '',
    state: 'NONE',
    list: [],
    entries: {},
    fixedNumber: 0,
  };
  t.same(roundTrip(type, '{}'), defaults);
  t.same(roundTrip(type, '{ "maybe": 0, "b": 0, "inner": {}, "list": [{}, { "n": 2 }], "entries": { "x": {} } }'), {
    ...{ ...defaults, maybe: 0, b: 0, inner: { n: 0 } },
    ...{ list: [{ n: 0 }, { n: 2 }], entries: { x: { n: 0 } } },
  });
  t.same(
    Object.keys(JSON.parse(decodeMessage(type, encodeMessage(type, '{ "long": 1 }'), new DecodingBudget()))).slice(
      0,
      3,
    ),
    ['text', 'long', 'real'],
  );
  t.same(roundTrip(readType('optional int32 n = 1; repeated int32 m = 2;', 'proto2'), '{}'), { m: [] });
});

t.test('integers of 64 bits keep every digit, however they are written', async (t) => {
  const type = readType('int64 n = 1; uint64 u = 2; string s = 3; double d = 4;');
  t.match(
    roundTrip(
      type,
      '{ "n": -9223372036854775808, "u": 18446744073709551615, "s": "9007199254740993 \\" 1", "d": 1e300 }',
    ),
    {
      ...{ n: '-9223372036854775808', u: '18446744073709551615' },
      ...{ s: '9007199254740993 " 1', d: 1e300 },
    },
  );
  for (const json of [
    '{ "n": 9223372036854775808 }',
    '{ "n": 1.5 }',
    '{ "u": -1 }',
    '{ "n": 1, "n": 2 }',
    '{ "s": 1 }',
    '[]',
  ])
    t.throws(() => encodeMessage(type, json), json);
});

t.test('the messages that ProtoJSON writes in their own way', async (t) => {
  const type =
    readType(`google.protobuf.Timestamp at = 1; google.protobuf.Duration took = 2; google.protobuf.Struct free = 3;
    google.protobuf.Int64Value wrapped = 4; google.protobuf.Any any = 5; google.protobuf.FieldMask mask = 6; State state = 7;`);
  const value = {
    ...{ at: '2026-11-27T04:00:00.250Z', took: '1.500s', free: { a: [1, null, { b: 'c' }] }, wrapped: '7' },
    ...{ any: { '@type': 'type.googleapis.com/a.Inner', n: 3 }, mask: 'a.bC', state: 'DONE' },
  };
  t.same(roundTrip(type, JSON.stringify(value)), value);
  t.match(roundTrip(type, '{ "state": 7 }'), { state: 7 });
  t.throws(() => encodeMessage(type, '{ "state": "LOST" }'));
});

t.test('of an unknown type in google.protobuf.Any the name is there', async (t) => {
  const type = readType('google.protobuf.Any any = 1; repeated google.protobuf.Any others = 2;');
  const any = (url: string) => ({ type_url: `type.googleapis.com/${url}`, value: Buffer.from([8, 1]) });
  const message = type.fromObject({
    any: any('lost.v1.One'),
    others: [any('lost.v1.Two'), any('Plain'), any('lost.v1.One')],
  });
  t.same(JSON.parse(decodeMessage(type, type.encode(message).finish(), new DecodingBudget())), {
    any: { '@type': 'type.googleapis.com/lost.v1.One' },
    others: ['lost.v1.Two', 'Plain', 'lost.v1.One'].map((name) => ({ '@type': `type.googleapis.com/${name}` })),
  });
});

t.test('options of files that are not there do not matter, types do', async (t) => {
  const head =
    'syntax = "proto3"; package a; import "google/api/annotations.proto"; import "google/protobuf/descriptor.proto";';
  const service =
    'service S { rpc Get(M) returns (M) { option (google.api.http) = { get: "/v1/m" }; } } message M { int32 n = 1 [(mark) = "x"]; }';
  const option = 'extend google.protobuf.FieldOptions { string mark = 50000; }';
  const root = parseProtoFiles([{ path: 'a.proto', text: `${head} ${option} ${service}` }]);
  t.ok(root.lookupService('a.S'));
  t.throws(
    () => parseProtoFiles([{ path: 'b.proto', text: 'syntax = "proto3"; import "c.proto"; message M { C c = 1; }' }]),
    {
      message: /no such Type or Enum 'C'.*not found: c\.proto/,
    },
  );
});
