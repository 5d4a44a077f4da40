/** Targets that break WebSocket (RFC 6455) before, in and after its handshake. */
import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { closes, createTarget, drips, type HostileTarget, ok, repeats, resets, stalls } from './behaviour.ts';
import { streamOutcomes, withTimes } from './stream-outcomes.ts';

const { headersTimeout, closed, brokenOff, notHttp, tooLarge, headTooLarge } = streamOutcomes;
const { inTime, ended, tooMany, limit, noStream, notASocket } = streamOutcomes;

const acceptKey = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const block = Buffer.alloc(65_536, 'x');
const largest = 2 ** 16;

/** The head of the answer that opens the connection. */
function formatUpgrade(request: string, headers = ''): string {
  const key = /^sec-websocket-key: (.+)\r$/im.exec(request)?.[1] ?? '';
  const accept = createHash('sha1').update(`${key}${acceptKey}`).digest('base64');
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${headers}\r\n`;
}

/** It opens the connection first. */
function opens(target: HostileTarget, headers = ''): HostileTarget {
  const respond: HostileTarget['respond'] = (socket, expire, request) => {
    socket.write(formatUpgrade(request, headers));
    target.respond(socket, expire, request);
  };
  return { ...target, name: `opens, then ${target.name}`, respond };
}

const opcodes = { continuation: 0, text: 1, bytes: 2, reserved: 3, close: 8, ping: 9, pong: 10 } as const;
const finalBit = 0x80;
const compressedBit = 0x40;

/** A frame with the flags of its first byte, the last one of its message unless they say otherwise. */
function frame(opcode: number, payload: string | Buffer = '', flags = finalBit): Buffer {
  const bytes = Buffer.from(payload);
  return Buffer.concat([Buffer.from([flags | opcode]), encodeLength(bytes.length), bytes]);
}

function encodeLength(length: number | bigint): Buffer {
  if (length < 126) return Buffer.from([Number(length)]);
  const bytes = Buffer.alloc(length < largest ? 3 : 9);
  bytes[0] = length < largest ? 126 : 127;
  if (length < largest) bytes.writeUInt16BE(Number(length), 1);
  else bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}

/** The beginning of a frame of text that announces so many bytes. */
function announce(length: number | bigint): Buffer {
  return Buffer.concat([Buffer.from([finalBit | opcodes.text]), encodeLength(length)]);
}

const open = frame(opcodes.text, '{"state":"open"}');
const paidText = '{"state":"paid"}';
const masked = Buffer.concat([
  Buffer.from([finalBit | opcodes.text, 0x80 | paidText.length, 0, 0, 0, 0]),
  Buffer.from(paidText),
]);
const createBomb = (): Buffer =>
  frame(opcodes.text, deflateRawSync(Buffer.alloc(100_000_000)), finalBit | compressedBit);
const notUtf8 = Buffer.concat([Buffer.from('{"state":"pa'), Buffer.from([0xff, 0xfe]), Buffer.from('id"}')]);

const beforeOpening: readonly HostileTarget[] = [
  stalls('nothing', '', headersTimeout),
  stalls('half a head', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: web', headersTimeout),
  closes('nothing', '', closed),
  closes('half a head', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: web', closed),
  closes('a greeting of SSH', 'SSH-2.0-OpenSSH_9.6\r\n', notHttp),
  closes('a status in letters', 'HTTP/1.1 abc\r\n\r\n', notHttp),
  closes(
    '101 without a key',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    notASocket,
  ),
  closes(
    '101 with another protocol',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
    notASocket,
  ),
  closes(
    '101 and a message, without a key',
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n${frame(opcodes.text, paidText)}`,
    notASocket,
  ),
  closes('a response without a connection', `${ok}Content-Length: ${paidText.length}\r\n\r\n${paidText}`, noStream),
  closes('a redirect to itself', 'HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n', noStream),
  closes('half of a refusal', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\nno', brokenOff),
  closes('a header of 100 KB', `${ok}X-Huge: ${'x'.repeat(100_000)}\r\n\r\n`, headTooLarge),
  repeats('headers without end', { start: ok, piece: 'X-A: b\r\n'.repeat(100) }, headTooLarge),
  repeats('a refusal without end', { start: 'HTTP/1.1 403 Forbidden\r\n\r\n', piece: block }, tooLarge),
  repeats('interim responses without end', { piece: 'HTTP/1.1 100 Continue\r\n\r\n' }, notHttp),
  drips('half a head', `${ok}${'X-Slow: a\r\n'.repeat(20)}`, headersTimeout),
  resets('the request', '', closed),
];

const invalidFrames: readonly HostileTarget[] = [
  closes('a masked frame', masked, notASocket),
  closes('a reserved bit', frame(opcodes.text, paidText, finalBit | 0x20), notASocket),
  closes('a reserved kind of frame', frame(opcodes.reserved, paidText), notASocket),
  closes('a continuation of nothing', frame(opcodes.continuation, paidText), notASocket),
  closes(
    'a message within another one',
    Buffer.concat([frame(opcodes.text, '{', 0), frame(opcodes.text, paidText)]),
    notASocket,
  ),
  closes('a ping in fragments', frame(opcodes.ping, 'x', 0), notASocket),
  closes('a ping of 126 bytes', frame(opcodes.ping, 'x'.repeat(126)), notASocket),
  closes('a closing of one byte', frame(opcodes.close, 'x'), notASocket),
  closes('a closing with a code that nobody may send', frame(opcodes.close, Buffer.from([0x03, 0xee])), notASocket),
  closes('a closing that is not UTF-8', frame(opcodes.close, Buffer.from([0x03, 0xe8, 0xff])), notASocket),
  closes('a text that is not UTF-8', frame(opcodes.text, notUtf8), notASocket),
  closes('a compressed frame', createBomb, notASocket),
  closes('HTTP in place of frames', `${ok}Content-Length: 0\r\n\r\n`, notASocket),
  closes('a length beyond 2^63', announce(2n ** 64n - 1n), tooLarge),
  closes('a length of 100 MB', announce(100_000_000), tooLarge),
];

const endless: readonly HostileTarget[] = [
  repeats(
    'a frame of 9 MB, and half of it comes',
    { start: announce(9_000_000), piece: 'xxxx', maxPieces: 5000 },
    inTime,
  ),
  repeats('a frame without end', { start: announce(1_000_000_000), piece: block }, tooLarge),
  repeats(
    'fragments of one byte without end',
    { start: frame(opcodes.text, '"', 0), piece: frame(opcodes.continuation, 'x', 0) },
    notASocket,
  ),
  repeats(
    'fragments of one byte without end, in large pieces',
    {
      start: frame(opcodes.text, '"', 0),
      piece: Buffer.concat(Array<Buffer>(20_000).fill(frame(opcodes.continuation, 'x', 0))),
    },
    notASocket,
  ),
  repeats(
    'empty fragments without end',
    { start: frame(opcodes.text, '"', 0), piece: frame(opcodes.continuation, '', 0) },
    notASocket,
  ),
  repeats(
    'fragments of 64 KB without end',
    { start: frame(opcodes.text, '"', 0), piece: frame(opcodes.continuation, block, 0) },
    tooLarge,
  ),
  repeats('messages without end', { piece: open }, limit),
  repeats('empty messages without end', { piece: frame(opcodes.text).subarray(0) }, limit),
  repeats(
    'thousands of tiny messages at once',
    { piece: Buffer.concat(Array<Buffer>(20_000).fill(frame(opcodes.text, '1'))) },
    limit,
  ),
  repeats('messages of 1 MB without end', { piece: frame(opcodes.text, 'x'.repeat(1_000_000)) }, tooLarge),
  repeats(
    'pings',
    { piece: Buffer.concat(Array<Buffer>(500).fill(frame(opcodes.ping, 'x'.repeat(125)))), maxPieces: 300 },
    inTime,
  ),
  repeats(
    'pongs',
    { piece: Buffer.concat(Array<Buffer>(500).fill(frame(opcodes.pong, 'x'.repeat(125)))), maxPieces: 300 },
    inTime,
  ),
  drips('messages', Buffer.concat(Array<Buffer>(10).fill(open)).toString('latin1'), inTime),
  createTarget('sends pings without end, and never reads', inTime, (socket) => {
    const pings = Buffer.concat(Array<Buffer>(500).fill(frame(opcodes.ping, 'x'.repeat(125))));
    const writeNext = (): unknown => socket.destroyed || socket.write(pings, () => setImmediate(writeNext));
    socket.pause();
    writeNext();
  }),
];

const contents: readonly HostileTarget[] = [
  closes(
    'JSON 200,000 levels deep',
    Buffer.concat([frame(opcodes.text, '['.repeat(200_000)), frame(opcodes.close)]),
    ended,
  ),
  closes(
    'JSON of 3 million objects',
    Buffer.concat([frame(opcodes.text, `[${'{},'.repeat(3_000_000)}{}]`), frame(opcodes.close)]),
    tooMany,
  ),
  closes('bytes in place of text', Buffer.concat([frame(opcodes.bytes, paidText), frame(opcodes.close)]), ended),
  closes(
    'a closing, and a message after it',
    Buffer.concat([frame(opcodes.close), frame(opcodes.text, paidText)]),
    ended,
  ),
  closes(
    'a closing with an error',
    Buffer.concat([open, frame(opcodes.close, Buffer.from([0x03, 0xf3]))]),
    'with code 1011',
  ),
  stalls('a closing', Buffer.concat([open, frame(opcodes.close)]), ended),
  stalls('nothing', '', inTime),
  stalls('half a frame', open.subarray(0, 5), inTime),
  stalls('half a message', frame(opcodes.text, paidText, 0), inTime),
  closes('a message, without a closing', open, brokenOff),
  closes('half a frame', open.subarray(0, 5), brokenOff),
  resets('a message', open, brokenOff),
];

const extensions = 'Sec-WebSocket-Extensions: permessage-deflate\r\n';

export const hostileSockets: readonly HostileTarget[] = withTimes([
  ...beforeOpening,
  ...[...invalidFrames, ...endless, ...contents].map((target) => opens(target)),
  { ...opens(closes('a bomb of permessage-deflate, which it invented', createBomb, notASocket), extensions) },
  {
    ...opens(
      closes('a subprotocol, which it invented', frame(opcodes.text, paidText), notASocket),
      'Sec-WebSocket-Protocol: x\r\n',
    ),
  },
]);
