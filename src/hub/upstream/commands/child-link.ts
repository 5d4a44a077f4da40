/** MCP over the standard streams of a child process: a message a line. */
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Clock } from '../../../environment/clock.ts';
import { vpError } from '../../../errors/vp-error.ts';
import type { ChildProcess } from '../../../process/child-process.ts';
import { TextLineSplitter } from '../../../streams/text-line-splitter.ts';
import type { LinkEvents, MessageLink } from '../message-link.ts';

/** Starts the process; `onEnd` is called once. */
export type StartChild = (onOutput: (chunk: Buffer) => void, onEnd: (problem: string) => void) => ChildProcess;

/** A flood of output is read in slices, so that it does not delay the calls of others. A line counts as so many bytes besides. */
const sliceBytes = 1_000_000;
const lineCostBytes = 256;
const pauseMs = 20;

export type ChildLinkOptions = {
  /** The name of the connection. */
  readonly connection: string;
  readonly maxMessageBytes: number;
  readonly clock: Pick<Clock, 'after'>;
};

export class ChildLink implements MessageLink {
  readonly isProgram = true;
  readonly #start: StartChild;
  readonly #options: ChildLinkOptions;
  readonly #lines: TextLineSplitter;
  #events: LinkEvents | undefined;
  #child: ChildProcess | undefined;
  #slice = 0;
  #isUnreadable = false;
  /** A large message is being read. */
  #isReading = false;
  readonly #waiting: string[] = [];
  #ending: Error | undefined;

  constructor(start: StartChild, options: ChildLinkOptions) {
    this.#start = start;
    this.#options = options;
    this.#lines = new TextLineSplitter(options.maxMessageBytes);
  }

  async open(events: LinkEvents): Promise<void> {
    this.#events = events;
    this.#child = this.#start(
      (chunk) => this.#read(chunk),
      () => this.#onEnd(new SdkError(SdkErrorCode.ConnectionClosed, 'the program has ended')),
    );
  }

  #read(chunk: Buffer): void {
    if (this.#isUnreadable) return;
    try {
      const lines = this.#lines.split(chunk);
      this.#pauseAfterSlice(chunk.length + lines.length * lineCostBytes);
      this.#deliver(lines);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // Messages can no longer be separated.
      this.#isUnreadable = true;
      const { connection, maxMessageBytes } = this.#options;
      this.#onEnd(
        vpError('UPSTREAM_ANSWER_TOO_LARGE', { connection, limit_mb: Math.round(maxMessageBytes / 10_000) / 100 }),
      );
      void this.close();
    }
  }

  #deliver(lines: readonly string[]): void {
    for (const line of lines) {
      if (line === '') continue;
      const reading = this.#isReading ? undefined : this.#events?.onMessage(line);
      if (reading) this.#pauseWhile(reading);
      else if (this.#isReading) this.#waiting.push(line);
    }
  }

  #pauseWhile(reading: Promise<void>): void {
    this.#isReading = true;
    this.#child?.pauseOutput();
    void reading.then(() => this.#continue());
  }

  /** After a large message: those that came behind it. */
  #continue(): void {
    this.#isReading = false;
    this.#deliver(this.#waiting.splice(0));
    if (this.#isReading) return;
    if (this.#slice < sliceBytes) this.#child?.resumeOutput();
    if (this.#ending) this.#onEnd(this.#ending);
  }

  #pauseAfterSlice(bytes: number): void {
    const isPaused = this.#slice >= sliceBytes;
    this.#slice += bytes;
    if (isPaused || this.#slice < sliceBytes) return;
    this.#child?.pauseOutput();
    this.#options.clock.after(pauseMs, () => {
      this.#slice = 0;
      if (!this.#isReading) this.#child?.resumeOutput();
    });
  }

  #onEnd(reason: Error): void {
    if (this.#isReading) {
      this.#ending ??= reason;
      return;
    }
    const events = this.#events;
    this.#events = undefined;
    events?.onClose(reason);
  }

  send(text: string, onError: (error: unknown) => void, onSent?: () => void): void {
    if (this.#events && this.#child?.write(`${text}\n`)) onSent?.();
    else onError(new SdkError(SdkErrorCode.SendFailed, 'the program does not read its input'));
  }

  async close(): Promise<void> {
    await this.#child?.stop();
  }
}
