/** Frames of HTTP/2 (RFC 9113) and messages of gRPC, byte by byte. */
import type { HostileTarget } from './behaviour.ts';

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
  alternativeService: 10,
  origin: 12,
  unknown: 200,
} as const;

export const endStream = 1;
export const endHeaders = 4;
const prefaceLength = 24;
const headLength = 9;

/** `stream`: 1 is that of the call. */
export function frame(type: number, payload: string | Buffer = '', { flags = 0, stream = 1 } = {}): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(headLength);
  head.writeUIntBE(bytes.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, bytes]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A header line of HPACK (RFC 7541, 6.2.2), which no table remembers. */
export function field(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

/** A string without Huffman's code, its length in 7 bits and more (RFC 7541, 5.1). */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

export const emptySettings = frame(frameTypes.settings, '', { stream: 0 });
export const grpcHead = frame(
  frameTypes.headers,
  Buffer.concat([field(':status', '200'), field('content-type', 'application/grpc+proto')]),
  { flags: endHeaders },
);

export function trailers(fields: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(fields).map(([name, value]) => field(name, value));
  return frame(frameTypes.headers, Buffer.concat(lines), { flags: endHeaders | endStream });
}

/** DATA in frames of the size that everybody takes. */
export function data(bytes: Buffer): Buffer {
  const size = 16_384;
  const count = Math.ceil(bytes.length / size);
  const pieces = Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
  return Buffer.concat(pieces.map((piece) => frame(frameTypes.data, piece)));
}

/** A message of gRPC with its flag and length. */
export function message(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0]), uint32(bytes.length), bytes]);
}

/** A field of Protocol Buffers with a length: a text, bytes or a message. */
export function protoField(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** It sends its settings at once, and the rest once the head of the call has arrived. */
export function speaksHttp2(target: HostileTarget, settings = emptySettings): HostileTarget {
  const respond: HostileTarget['respond'] = (socket, expire, request) => {
    let received = Buffer.from(request, 'latin1');
    let isAnswered = false;
    const onBytes = (): void => {
      if (isAnswered || !hasCall(received)) return;
      isAnswered = true;
      target.respond(socket, expire, '');
    };
    socket.write(settings);
    socket.on('data', (chunk: Buffer) => {
      if (isAnswered) return;
      received = Buffer.concat([received, chunk]);
      onBytes();
    });
    onBytes();
  };
  return { ...target, respond };
}

/** True where a whole frame of type HEADERS has arrived. */
function hasCall(received: Buffer): boolean {
  for (let at = prefaceLength; at + headLength <= received.length; ) {
    const end = at + headLength + received.readUIntBE(at, 3);
    if (received[at + 3] === frameTypes.headers) return end <= received.length;
    at = end;
  }
  return false;
}
