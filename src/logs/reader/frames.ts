/** Splits the engine's log stream into frames. */

/** The stream to which a container wrote. With a TTY everything is `stdout`. */
export type StreamName = 'stdout' | 'stderr';

/** Receives the payload of a frame. Its memory may be reused after the call. */
export type FrameHandler = (stream: StreamName, payload: Buffer) => void;

const headerBytes = 8;
const maxFrameBytes = 16 * 1024 * 1024;

/** Parses frames: a header of eight bytes (stream, three zeros, length in big-endian), then the payload. */
export class FrameReader {
  #remainder: Buffer = Buffer.alloc(0);

  /** Throws when the bytes are not frames. */
  push(chunk: Buffer, takeFrame: FrameHandler): void {
    const bytes = this.#remainder.length === 0 ? chunk : Buffer.concat([this.#remainder, chunk]);
    let offset = 0;
    while (offset + headerBytes <= bytes.length) {
      const end = offset + headerBytes + readFrameSize(bytes, offset);
      if (end > bytes.length) break;
      takeFrame(bytes[offset] === 2 ? 'stderr' : 'stdout', bytes.subarray(offset + headerBytes, end));
      offset = end;
    }
    this.#remainder = Buffer.from(bytes.subarray(offset));
  }
}

function readFrameSize(bytes: Buffer, offset: number): number {
  const size = bytes.readUInt32BE(offset + 4);
  if ((bytes[offset] ?? 0) > 2 || size > maxFrameBytes) throw new Error('the engine sent data that is not a frame');
  return size;
}

/** True when the first byte of a log is that of a frame: a log without frames begins with the year. */
export function isFramed(chunk: Buffer): boolean {
  return (chunk[0] ?? 0) <= 2;
}
