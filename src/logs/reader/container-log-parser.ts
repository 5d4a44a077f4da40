/** Converts the engine's output of a container's log to complete lines without duplicates. */

import { decodeLine, maxLineBytes } from '../lines/decode-line.ts';
import { LineSplitter } from '../lines/line-splitter.ts';
import { FrameReader, isFramed, type StreamName } from './frames.ts';

/** A line with the engine's timestamp (RFC 3339, nanoseconds), by which duplicates are detected. */
export type LineHandler = (stream: StreamName, text: string, timestamp: string) => void;

/** The last timestamp seen in each stream; empty before the first. */
export type LastTimestamps = { readonly stdout: string; readonly stderr: string };

const space = 32;
const newline = 10;
/** The engine splits longer lines into pieces of this size, each with the timestamp of the whole line. */
const pieceBytes = 16_384;
const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) /;

/** Parses one response of the engine. Lines at or before `lastTimestamps` are skipped. */
export class ContainerLogParser {
  readonly #lastTimestamps: LastTimestamps;
  readonly #takeLine: LineHandler;
  readonly #frames = new FrameReader();
  readonly #plainSplitter = new LineSplitter(2 * maxLineBytes);
  readonly #linePieces = { stdout: new LinePieces(), stderr: new LinePieces() };
  #isFramed: boolean | undefined;

  constructor(lastTimestamps: LastTimestamps, takeLine: LineHandler) {
    this.#lastTimestamps = lastTimestamps;
    this.#takeLine = takeLine;
  }

  /** Throws when the bytes are not a log. */
  push(chunk: Buffer): void {
    this.#isFramed ??= isFramed(chunk);
    if (this.#isFramed) this.#frames.push(chunk, this.#onFrame);
    else this.#plainSplitter.push(chunk, this.#onBlock);
  }

  /** The last line of a container that has stopped may lack its line break. */
  end(): void {
    this.#plainSplitter.flush(this.#onBlock);
    for (const stream of ['stdout', 'stderr'] as const) this.#finish(stream);
  }

  readonly #onFrame = (stream: StreamName, payload: Buffer): void => {
    const linePieces = this.#linePieces[stream];
    const start = payload.indexOf(space) + 1;
    const timestamp = payload.toString('latin1', 0, Math.max(0, start - 1));
    const isComplete = payload.at(-1) === newline;
    const text = payload.subarray(start, isComplete ? -1 : undefined);
    if (isComplete && linePieces.isEmpty) this.#emit(stream, decodeLine(text, maxLineBytes), timestamp);
    else linePieces.add(timestamp, text);
    if (isComplete) this.#finish(stream);
  };

  readonly #onBlock = (block: Buffer): void => {
    for (let start = 0; start < block.length; ) {
      const end = block.indexOf(newline, start);
      this.#parseTerminalLine(block.subarray(start, end));
      start = end + 1;
    }
  };

  /** Without frames the timestamps of later pieces are within the line. */
  #parseTerminalLine(line: Buffer): void {
    const linePieces = this.#linePieces.stdout;
    for (let offset = 0; offset < line.length; ) {
      const timestamp = timestampPattern.exec(line.toString('latin1', offset, offset + 40))?.[0] ?? '';
      const start = offset + timestamp.length;
      const next = start + pieceBytes;
      const isCut = next < line.length && timestampPattern.test(line.toString('latin1', next, next + 40));
      offset = isCut ? next : line.length;
      linePieces.add(timestamp.trimEnd(), line.subarray(start, offset));
    }
    this.#finish('stdout');
  }

  #finish(stream: StreamName): void {
    const line = this.#linePieces[stream].finish();
    if (line) this.#emit(stream, line.text, line.timestamp);
  }

  #emit(stream: StreamName, text: string, timestamp: string): void {
    if (timestamp > this.#lastTimestamps[stream]) this.#takeLine(stream, text, timestamp);
  }
}

class LinePieces {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #timestamp: string | undefined;

  get isEmpty(): boolean {
    return this.#timestamp === undefined;
  }

  add(timestamp: string, piece: Buffer): void {
    this.#timestamp ??= timestamp;
    const freeBytes = maxLineBytes + 1 - this.#bytes;
    if (freeBytes <= 0) return;
    this.#pieces.push(Buffer.from(piece.subarray(0, freeBytes)));
    this.#bytes += Math.min(freeBytes, piece.length);
  }

  finish(): { readonly text: string; readonly timestamp: string } | undefined {
    if (this.#timestamp === undefined) return undefined;
    const line = { text: decodeLine(Buffer.concat(this.#pieces), maxLineBytes), timestamp: this.#timestamp };
    this.#pieces = [];
    this.#bytes = 0;
    this.#timestamp = undefined;
    return line;
  }
}
