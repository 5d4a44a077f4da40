/** Targets that break HTTP/2 or gRPC: in the connection, in the response, in the messages. */
import { closes, createTarget, drips, type HostileTarget, repeats, resets, stalls } from './behaviour.ts';
import {
  data,
  emptySettings,
  endHeaders,
  endStream,
  field,
  frame,
  frameTypes,
  grpcHead,
  message,
  protoField,
  speaksHttp2,
  trailers,
  uint32,
  varint,
} from './http2-frames.ts';
import { streamOutcomes, withTimes } from './stream-outcomes.ts';

const { headersTimeout, closed, tooLarge, brokenOff } = streamOutcomes;
const { inTime, ended, limit, notHttp2, brokenCall } = streamOutcomes;

const order = message(Buffer.from([8, 7]));
const okTrailers = trailers({ 'grpc-status': '0' });
const answer = Buffer.concat([grpcHead, data(order)]);
const connection = { stream: 0 } as const;
const largeText = 'x'.repeat(10_000);
/**
 * 9 of the 10 MiB that are read of a message, so that a million frames of one byte follow. With `VP_HOSTILE_STREAMS=all` there are ten
 * million, which take 20 s of processor time more.
 */
const beforeTinyFrames =
  process.env.VP_HOSTILE_STREAMS === 'all' ? Buffer.alloc(0) : times(576, frame(frameTypes.data, Buffer.alloc(16_384)));

function times(count: number, bytes: Buffer): Buffer {
  return Buffer.alloc(count * bytes.length, bytes);
}

function setting(id: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([id >> 8, id & 255]), uint32(value)]);
}

const otherProtocols: readonly HostileTarget[] = [
  stalls('nothing', '', headersTimeout),
  closes('nothing', '', brokenCall),
  resets('the request', '', closed),
  closes('HTTP/1.1', 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n', notHttp2),
  closes('a greeting of SSH', 'SSH-2.0-OpenSSH_9.6\r\n', notHttp2),
  closes('zeros', Buffer.alloc(64), notHttp2),
  stalls('half a frame', emptySettings.subarray(0, 5), headersTimeout),
  drips('its settings', emptySettings.toString('latin1'), headersTimeout),
  repeats('HTTP/1.1 without end', { piece: 'HTTP/1.1 100 Continue\r\n\r\n' }, notHttp2),
  closes('a frame of 16 MB', Buffer.concat([Buffer.from([255, 255, 255]), Buffer.alloc(60_000)]), notHttp2),
];

/** Before there is a response. */
const floods: readonly HostileTarget[] = [
  repeats(
    'settings without end',
    { piece: times(1000, frame(frameTypes.settings, setting(3, 100), connection)) },
    brokenCall,
  ),
  repeats(
    'settings of 5,000 lines without end',
    { piece: frame(frameTypes.settings, times(2500, setting(3, 100)), connection) },
    brokenCall,
  ),
  repeats(
    'acknowledged settings without end',
    { piece: times(1000, frame(frameTypes.settings, '', { flags: 1, stream: 0 })) },
    brokenCall,
  ),
  repeats('pings without end', { piece: times(1000, frame(frameTypes.ping, Buffer.alloc(8), connection)) }, brokenCall),
  repeats(
    'answers to pings without end',
    { piece: times(1000, frame(frameTypes.ping, Buffer.alloc(8), { flags: 1, stream: 0 })) },
    brokenCall,
  ),
  repeats('windows of no size', { piece: frame(frameTypes.windowUpdate, uint32(0), connection) }, brokenCall),
  repeats('windows without end', { piece: frame(frameTypes.windowUpdate, uint32(2 ** 30), connection) }, brokenCall),
  repeats(
    'priorities',
    { piece: times(1000, frame(frameTypes.priority, Buffer.alloc(5, 3))), maxPieces: 200 },
    brokenCall,
  ),
  repeats(
    'unknown frames',
    { piece: times(1000, frame(frameTypes.unknown, 'x', connection)), maxPieces: 200 },
    brokenCall,
  ),
  repeats(
    'large unknown frames',
    { piece: frame(frameTypes.unknown, Buffer.alloc(16_384), connection), maxPieces: 1000 },
    headersTimeout,
  ),
  repeats(
    'other addresses',
    {
      piece: times(
        100,
        frame(
          frameTypes.alternativeService,
          Buffer.concat([Buffer.from([0, 6]), Buffer.from('http:ah2=":1"')]),
          connection,
        ),
      ),
      maxPieces: 300,
    },
    headersTimeout,
  ),
  repeats(
    'origins',
    {
      piece: times(
        1000,
        frame(frameTypes.origin, Buffer.concat([Buffer.from([0, 8]), Buffer.from('http://a')]), connection),
      ),
      maxPieces: 300,
    },
    headersTimeout,
  ),
  repeats(
    'promises without end',
    { piece: frame(frameTypes.pushPromise, Buffer.concat([uint32(2), field(':path', '/')]), { flags: endHeaders }) },
    brokenCall,
  ),
  repeats(
    'farewells without end',
    { piece: frame(frameTypes.goAway, Buffer.concat([uint32(1), uint32(0)]), connection) },
    headersTimeout,
  ),
  stalls(
    'a farewell to the call',
    frame(frameTypes.goAway, Buffer.concat([uint32(0), uint32(0)]), connection),
    brokenCall,
  ),
  stalls(
    'a farewell after the call',
    frame(frameTypes.goAway, Buffer.concat([uint32(1), uint32(0)]), connection),
    headersTimeout,
  ),
  stalls(
    'a farewell with an error',
    frame(frameTypes.goAway, Buffer.concat([uint32(0), uint32(11)]), connection),
    brokenCall,
  ),
  repeats('resets without end', { piece: frame(frameTypes.reset, uint32(8)) }, brokenCall),
  repeats(
    'resets of other calls without end',
    { piece: frame(frameTypes.reset, uint32(8), { stream: 9 }) },
    brokenCall,
  ),
  repeats('data of another call without end', { piece: frame(frameTypes.data, 'x', { stream: 9 }) }, brokenCall),
  repeats('data before the head without end', { piece: frame(frameTypes.data, 'x') }, brokenCall),
  stalls('a window of no size', frame(frameTypes.settings, setting(4, 0), connection), headersTimeout),
  stalls('no call at a time', frame(frameTypes.settings, setting(3, 0), connection), headersTimeout),
  stalls('a frame that is larger than allowed', frame(frameTypes.data, Buffer.alloc(16_385)), brokenCall),
];

const ofStatus = field(':status', '200');
const remembered = Buffer.concat([
  Buffer.from([0x40, 1]),
  Buffer.from('a'),
  Buffer.from([127, 0xa1, 0x1e]),
  Buffer.alloc(4000, 'x'),
]);

const heads: readonly HostileTarget[] = [
  repeats(
    'continuations without end',
    { start: frame(frameTypes.headers, ofStatus), piece: frame(frameTypes.continuation, field('x-a', 'b')) },
    brokenCall,
  ),
  repeats(
    'empty continuations without end',
    { start: frame(frameTypes.headers, ofStatus), piece: frame(frameTypes.continuation) },
    brokenCall,
  ),
  stalls('half a head', frame(frameTypes.headers, ofStatus), headersTimeout),
  stalls(
    'a head of 10,000 lines',
    frame(frameTypes.headers, Buffer.concat([ofStatus, times(3000, field('a', 'b'))]), { flags: endHeaders }),
    brokenCall,
  ),
  stalls(
    'a head of 100 MB by its table',
    frame(frameTypes.headers, Buffer.concat([ofStatus, remembered, Buffer.alloc(12_000, 0xbe)]), { flags: endHeaders }),
    brokenCall,
  ),
  stalls(
    'a head that is none of HPACK',
    frame(frameTypes.headers, Buffer.alloc(100, 0xff), { flags: endHeaders }),
    brokenCall,
  ),
  stalls(
    'a head without a status',
    frame(frameTypes.headers, field('content-type', 'application/grpc'), { flags: endHeaders }),
    brokenCall,
  ),
  stalls(
    'a head with capital letters',
    frame(frameTypes.headers, Buffer.concat([ofStatus, field('X-A', 'b')]), { flags: endHeaders }),
    brokenCall,
  ),
  repeats(
    'interim responses',
    { piece: times(100, frame(frameTypes.headers, field(':status', '103'), { flags: endHeaders })) },
    brokenCall,
  ),
  repeats(
    'a body without end that is none of gRPC',
    {
      start: frame(frameTypes.headers, Buffer.concat([ofStatus, field('content-type', 'text/html')]), {
        flags: endHeaders,
      }),
      piece: frame(frameTypes.data, Buffer.alloc(16_384)),
    },
    tooLarge,
  ),
];

const messages: readonly HostileTarget[] = [
  stalls('a head', grpcHead, inTime),
  stalls('half a message', Buffer.concat([grpcHead, data(order.subarray(0, 6))]), inTime),
  stalls('a message', answer, inTime),
  repeats('messages without end', { start: grpcHead, piece: data(order) }, limit),
  repeats(
    'thousands of empty messages at once',
    { start: grpcHead, piece: data(times(10_000, message(Buffer.alloc(0)))) },
    limit,
  ),
  repeats(
    'messages of 1 MB without end',
    { start: grpcHead, piece: data(message(protoField(2, 'x'.repeat(1_000_000)))) },
    tooLarge,
  ),
  repeats(
    'a message of 4 GB',
    {
      start: Buffer.concat([grpcHead, data(Buffer.from([0, 255, 255, 255, 255]))]),
      piece: frame(frameTypes.data, Buffer.alloc(16_384)),
    },
    tooLarge,
  ),
  repeats(
    'a message in frames of one byte',
    {
      start: Buffer.concat([grpcHead, data(Buffer.from([0, 255, 255, 255, 255])), beforeTinyFrames]),
      piece: times(5000, frame(frameTypes.data, 'x')),
    },
    tooLarge,
  ),
  repeats('empty frames without end', { start: grpcHead, piece: times(100, frame(frameTypes.data)) }, brokenCall),
  repeats(
    'trailers without end',
    { start: answer, piece: frame(frameTypes.continuation, field('x-a', largeText)) },
    brokenCall,
  ),
  closes(
    'a message that is compressed',
    Buffer.concat([grpcHead, data(Buffer.from([1, 0, 0, 0, 1, 7])), okTrailers]),
    brokenCall,
  ),
  closes(
    'a message that is none of the schema',
    Buffer.concat([grpcHead, data(message(Buffer.from([255]))), okTrailers]),
    brokenCall,
  ),
  closes(
    '5 million texts in a message',
    () => Buffer.concat([grpcHead, data(message(times(5_000_000, Buffer.from([34, 0])))), okTrailers]),
    brokenCall,
  ),
  closes(
    '5 million entries in a message',
    () => Buffer.concat([grpcHead, data(message(times(5_000_000, Buffer.from([74, 0])))), okTrailers]),
    brokenCall,
  ),
  closes(
    '5 million values of a message again and again',
    () => Buffer.concat([grpcHead, data(message(times(5_000_000, Buffer.from([42, 0])))), okTrailers]),
    brokenCall,
  ),
  closes(
    '3 million unknown fields in a message',
    () => Buffer.concat([grpcHead, data(message(times(3_000_000, Buffer.from([0xf8, 1, 1])))), okTrailers]),
    ended,
  ),
  closes(
    'unknown groups 200,000 levels deep',
    () => Buffer.concat([grpcHead, data(message(times(200_000, Buffer.from([0xfb, 1])))), okTrailers]),
    brokenCall,
  ),
  closes(
    'a text that is not UTF-8',
    Buffer.concat([grpcHead, data(message(protoField(2, Buffer.from([0xff, 0xfe])))), okTrailers]),
    brokenCall,
  ),
  closes(
    'a message, without trailers',
    Buffer.concat([answer, frame(frameTypes.data, '', { flags: endStream })]),
    brokenCall,
  ),
  closes('trailers without a status', Buffer.concat([answer, trailers({ 'x-a': 'b' })]), brokenCall),
  closes('a status that is no number', Buffer.concat([answer, trailers({ 'grpc-status': 'OK' })]), brokenCall),
  closes(
    'half a message, and its trailers',
    Buffer.concat([grpcHead, data(order.subarray(0, 6)), okTrailers]),
    brokenCall,
  ),
  closes(
    'an error',
    Buffer.concat([answer, trailers({ 'grpc-status': '13', 'grpc-message': '%zz%' })]),
    'with status INTERNAL',
  ),
  closes('a message, and nothing else', answer, brokenCall),
  resets('a message', answer, brokenOff),
  drips('a message', answer.toString('latin1'), inTime),
];

export const hostileCalls: readonly HostileTarget[] = withTimes([
  ...otherProtocols,
  ...[...floods, ...heads, ...messages].map((target) => speaksHttp2(target)),
]);

/** A response of reflection with these files. */
function describe(...files: readonly Buffer[]): Buffer {
  return message(protoField(4, Buffer.concat(files.map((file) => protoField(1, file)))));
}

function file(name: string, ...rest: readonly Buffer[]): Buffer {
  return Buffer.concat([protoField(1, name), ...rest]);
}

let fileNumber = 0;
/** Each file depends on the next one. */
const chain = createTarget('sends files that depend on others without end', streamOutcomes.invalidSchema, (socket) => {
  fileNumber += 1;
  const next = describe(file(`${fileNumber}.proto`, protoField(3, `${fileNumber + 1}.proto`)));
  socket.write(Buffer.concat([grpcHead, data(next), okTrailers]));
});
const largeChain = createTarget(
  'sends files of 9 MB that depend on others without end',
  streamOutcomes.invalidSchema,
  (socket) => {
    fileNumber += 1;
    const comment = protoField(2000, Buffer.alloc(9_000_000, 'x'));
    const next = describe(file(`${fileNumber}.proto`, protoField(3, `${fileNumber + 1}.proto`), comment));
    socket.write(Buffer.concat([grpcHead, data(next), okTrailers]));
  },
);
/** Answers after 200 ms, in a chain without end: each answer comes in time. */
const slowChain = createTarget('sends files that depend on others, slowly', streamOutcomes.timeout, (socket) => {
  setTimeout(() => chain.respond(socket, () => {}, ''), 200);
});

const answersWith = (...files: readonly Buffer[]): Buffer =>
  Buffer.concat([grpcHead, data(describe(...files)), okTrailers]);
const { brokenCall: broken, invalidSchema, missingSchema, unknownMethod } = streamOutcomes;

/** Of targets that are asked for their schema. */
export const hostileReflections: readonly HostileTarget[] = withTimes(
  [
    stalls('nothing', '', headersTimeout),
    stalls('a head', grpcHead, streamOutcomes.bodyTimeout),
    repeats('answers without end', { start: grpcHead, piece: data(describe(file('a.proto'))) }, broken),
    repeats(
      'empty answers without end',
      { start: grpcHead, piece: data(times(3000, message(Buffer.alloc(0)))) },
      broken,
    ),
    repeats(
      'an answer without end',
      {
        start: Buffer.concat([grpcHead, data(Buffer.from([0, 255, 255, 255, 255]))]),
        piece: frame(frameTypes.data, Buffer.alloc(16_384)),
      },
      tooLarge,
    ),
    chain,
    largeChain,
    slowChain,
    closes('no files', answersWith(), unknownMethod),
    closes('an empty file', answersWith(Buffer.alloc(0)), unknownMethod),
    closes('a file that is none', answersWith(Buffer.from([255])), invalidSchema),
    closes(
      'a file with 4 million types',
      () => answersWith(file('a.proto', times(4_000_000, protoField(4, '')))),
      invalidSchema,
    ),
    closes(
      'a file with 4 million dependencies',
      () => answersWith(file('a.proto', times(4_000_000, protoField(3, '')))),
      invalidSchema,
    ),
    closes(
      '4 million files',
      () => Buffer.concat([grpcHead, data(message(protoField(4, times(4_000_000, protoField(1, ''))))), okTrailers]),
      broken,
    ),
    closes(
      '200,000 types with names',
      () =>
        answersWith(
          file(
            'a.proto',
            Buffer.concat(Array.from({ length: 200_000 }, (_, index) => protoField(4, protoField(1, `T${index}`)))),
          ),
        ),
      invalidSchema,
    ),
    closes('types 2,000 levels deep', () => answersWith(file('a.proto', nest(2000))), invalidSchema),
    closes(
      'a type that sets a prototype',
      answersWith(file('a.proto', protoField(4, protoField(1, '__proto__')))),
      unknownMethod,
    ),
    closes('no reflection', Buffer.concat([grpcHead, trailers({ 'grpc-status': '12' })]), missingSchema),
    closes(
      'an error of the service',
      Buffer.concat([grpcHead, data(message(protoField(7, Buffer.concat([Buffer.from([8]), varint(5)])))), okTrailers]),
      unknownMethod,
    ),
  ].map((target) => speaksHttp2(target)),
);

function nest(levels: number): Buffer {
  let type = protoField(1, 'T');
  for (let level = 0; level < levels; level += 1) type = Buffer.concat([protoField(1, 'T'), protoField(3, type)]);
  return protoField(4, type);
}
