/** The engine's log stream → pieces of lines, each with the moment the engine gave it. */

/** Where a container wrote. With a TTY everything is `stdout`. */
export type StreamName = 'stdout' | 'stderr';

/** Takes the payload of a frame. Its memory may be used again after the call. */
export type FrameTaker = (stream: StreamName, payload: Buffer) => void;

const headerBytes = 8;
const largestFrame = 16 * 1024 * 1024;

/** Takes frames apart: a header of eight bytes (stream, three zeros, length in big-endian), then the payload. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Throws where the bytes are no frames. */
  push(chunk: Buffer, take: FrameTaker): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (at + headerBytes <= bytes.length) {
      const end = at + headerBytes + sizeAt(bytes, at);
      if (end > bytes.length) break;
      take(bytes[at] === 2 ? 'stderr' : 'stdout', bytes.subarray(at + headerBytes, end));
      at = end;
    }
    this.#rest = Buffer.from(bytes.subarray(at));
  }
}

function sizeAt(bytes: Buffer, at: number): number {
  const size = bytes.readUInt32BE(at + 4);
  if ((bytes[at] ?? 0) > 2 || size > largestFrame) throw new Error('the engine sent no frame where one was due');
  return size;
}

/** True where the first byte of a log is that of a frame: a log without frames begins with the year. */
export function beginsFrames(chunk: Buffer): boolean {
  return (chunk[0] ?? 0) <= 2;
}
