/** What is being waited for, told to people on standard error while it lasts, and only when it lasts. */
import type { Clock } from '../environment/clock.ts';
import type { TextSink } from '../environment/environment.ts';
import { printableLine } from '../report/printable.ts';
import { fitted } from '../report/width.ts';

/** Shows the newest of what it is told. */
export type Progress = {
  tell(text: string): void;
  /** Writes to another stream of the same terminal without the progress line in between. */
  aside(write: () => void): void;
  /** Takes the line away. */
  end(): void;
};

/** Shorter waits are not worth telling. */
const silentMs = 1000;
/** On a terminal the line is written again at most this often. */
const againMs = 200;
/** Where lines stay (files, logs of CI) there are few of them. */
const plainAgainMs = 30_000;

const eraseLine = '\r\u001b[2K';

/** Progress on `sink`: one line that is replaced on a terminal, a line every half minute elsewhere. */
export function progressOn(sink: TextSink, clock: Clock): Progress {
  return sink.isTTY ? new LiveLine(sink, clock) : new PlainLines(sink, clock);
}

class LiveLine implements Progress {
  readonly #sink: TextSink;
  readonly #clock: Clock;
  readonly #startMs: number;
  #text = '';
  #shown = '';
  #stopTimer: (() => void) | undefined;

  constructor(sink: TextSink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  tell(text: string): void {
    this.#text = printableLine(text);
    this.#stopTimer ??= this.#clock.after(silentMs, () => this.#show());
  }

  aside(write: () => void): void {
    this.#erase();
    write();
  }

  end(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#erase();
  }

  #show(): void {
    const seconds = Math.floor((this.#clock.monotonicMs() - this.#startMs) / 1000);
    const line = fitted(`${this.#text} (${seconds} s)`, Math.max(1, (this.#sink.columns ?? 80) - 1));
    if (line !== this.#shown) this.#sink.write(eraseLine + line);
    this.#shown = line;
    this.#stopTimer = this.#clock.after(againMs, () => this.#show());
  }

  #erase(): void {
    if (this.#shown !== '') this.#sink.write(eraseLine);
    this.#shown = '';
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

  tell(text: string): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lastMs < plainAgainMs) return;
    this.#lastMs = nowMs;
    this.#sink.write(`${printableLine(text)}\n`);
  }

  aside(write: () => void): void {
    write();
  }

  end(): void {}
}
