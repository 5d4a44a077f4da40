/** Progress messages on standard error during longer waits. */
import type { Clock } from '../environment/clock.ts';
import type { TextSink } from '../environment/environment.ts';
import { escapeUnsafeLine } from '../report/escape-unsafe.ts';
import { fitToColumns } from '../report/text/text-width.ts';

/** Displays the latest message. */
export type Progress = {
  update(text: string): void;
  /** Removes the progress line while `write` writes to another stream of the same terminal. */
  suspend(write: () => void): void;
  /** Removes the line. */
  stop(): void;
};

/** Shorter waits show no progress. */
const showAfterMs = 1000;
/** On a terminal the line is redrawn at most this often. */
const redrawMs = 200;
/** Files and CI logs get few lines, because they stay. */
const plainIntervalMs = 30_000;

const eraseLine = '\r\u001b[2K';

/** One line that is replaced on a terminal; elsewhere a line every half minute. */
export function createProgress(sink: TextSink, clock: Clock): Progress {
  return sink.isTTY ? new LiveLine(sink, clock) : new PlainLines(sink, clock);
}

class LiveLine implements Progress {
  readonly #sink: TextSink;
  readonly #clock: Clock;
  readonly #startMs: number;
  #text = '';
  #writtenLine = '';
  #stopTimer: (() => void) | undefined;

  constructor(sink: TextSink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  update(text: string): void {
    this.#text = escapeUnsafeLine(text);
    this.#stopTimer ??= this.#clock.after(showAfterMs, () => this.#draw());
  }

  suspend(write: () => void): void {
    this.#erase();
    write();
  }

  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#erase();
  }

  #draw(): void {
    const seconds = Math.floor((this.#clock.monotonicMs() - this.#startMs) / 1000);
    const line = fitToColumns(`${this.#text} (${seconds} s)`, Math.max(1, (this.#sink.columns ?? 80) - 1));
    if (line !== this.#writtenLine) this.#sink.write(eraseLine + line);
    this.#writtenLine = line;
    this.#stopTimer = this.#clock.after(redrawMs, () => this.#draw());
  }

  #erase(): void {
    if (this.#writtenLine !== '') this.#sink.write(eraseLine);
    this.#writtenLine = '';
  }
}

class PlainLines implements Progress {
  readonly #sink: TextSink;
  readonly #clock: Clock;
  #lastMs: number;

  constructor(sink: TextSink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
    this.#lastMs = clock.monotonicMs();
  }

  update(text: string): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lastMs < plainIntervalMs) return;
    this.#lastMs = nowMs;
    this.#sink.write(`${escapeUnsafeLine(text)}\n`);
  }

  suspend(write: () => void): void {
    write();
  }

  stop(): void {}
}
