/** What the engine sends of a container's log → whole lines, none of them twice. */
import { LineSplitter } from '../line-splitter.ts';
import { lineLimitBytes, lineText } from '../line-text.ts';
import { beginsFrames, FrameReader, type StreamName } from './frames.ts';

/** A line with the engine's moment of it (RFC 3339, nanoseconds), by which repetitions are known. */
export type TakeLine = (stream: StreamName, text: string, moment: string) => void;

/** The last moment of each stream that was seen; empty before the first. */
export type Seen = { readonly stdout: string; readonly stderr: string };

const space = 32;
const newline = 10;
/** The engine cuts longer lines into pieces of this size, each with the moment of the whole. */
const pieceBytes = 16_384;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) /;

/** Reads one answer of the engine. Lines of `seen` and before are left out. */
export class LogLines {
  readonly #seen: Seen;
  readonly #take: TakeLine;
  readonly #frames = new FrameReader();
  readonly #plain = new LineSplitter(2 * lineLimitBytes);
  readonly #parts = { stdout: new LineParts(), stderr: new LineParts() };
  #isFramed: boolean | undefined;

  constructor(seen: Seen, take: TakeLine) {
    this.#seen = seen;
    this.#take = take;
  }

  /** Throws where the bytes are no log. */
  push(chunk: Buffer): void {
    this.#isFramed ??= beginsFrames(chunk);
    if (this.#isFramed) this.#frames.push(chunk, this.#frame);
    else this.#plain.push(chunk, this.#block);
  }

  /** The last line of a container that has ended may lack its line break. */
  end(): void {
    this.#plain.flush(this.#block);
    for (const stream of ['stdout', 'stderr'] as const) this.#finish(stream);
  }

  readonly #frame = (stream: StreamName, payload: Buffer): void => {
    const parts = this.#parts[stream];
    const start = payload.indexOf(space) + 1;
    const at = payload.toString('latin1', 0, Math.max(0, start - 1));
    const isWhole = payload.at(-1) === newline;
    const text = payload.subarray(start, isWhole ? -1 : undefined);
    if (isWhole && parts.isEmpty) this.#tell(stream, lineText(text, lineLimitBytes), at);
    else parts.add(at, text);
    if (isWhole) this.#finish(stream);
  };

  readonly #block = (block: Buffer): void => {
    for (let start = 0; start < block.length; ) {
      const end = block.indexOf(newline, start);
      this.#ofTerminal(block.subarray(start, end));
      start = end + 1;
    }
  };

  /** Without frames the moments of later pieces stand inside the line. */
  #ofTerminal(line: Buffer): void {
    const parts = this.#parts.stdout;
    for (let at = 0; at < line.length; ) {
      const written = moment.exec(line.toString('latin1', at, at + 40))?.[0] ?? '';
      const start = at + written.length;
      const next = start + pieceBytes;
      const isCut = next < line.length && moment.test(line.toString('latin1', next, next + 40));
      at = isCut ? next : line.length;
      parts.add(written.trimEnd(), line.subarray(start, at));
    }
    this.#finish('stdout');
  }

  #finish(stream: StreamName): void {
    const line = this.#parts[stream].finish();
    if (line) this.#tell(stream, line.text, line.moment);
  }

  #tell(stream: StreamName, text: string, at: string): void {
    if (at > this.#seen[stream]) this.#take(stream, text, at);
  }
}

/** A line in pieces. */
class LineParts {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #moment: string | undefined;

  get isEmpty(): boolean {
    return this.#moment === undefined;
  }

  add(at: string, piece: Buffer): void {
    this.#moment ??= at;
    const room = lineLimitBytes + 1 - this.#bytes;
    if (room <= 0) return;
    this.#pieces.push(Buffer.from(piece.subarray(0, room)));
    this.#bytes += Math.min(room, piece.length);
  }

  finish(): { readonly text: string; readonly moment: string } | undefined {
    if (this.#moment === undefined) return undefined;
    const line = { text: lineText(Buffer.concat(this.#pieces), lineLimitBytes), moment: this.#moment };
    this.#pieces = [];
    this.#bytes = 0;
    this.#moment = undefined;
    return line;
  }
}
