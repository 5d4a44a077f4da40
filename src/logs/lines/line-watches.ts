/** Watches for lines that contain a text, and the most recent lines for watches that start late. */

import type { Clock } from '../../environment/clock.ts';
import { Listeners } from '../../listeners/listeners.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';
import type { LogWatch } from '../log-source.ts';
import { decodeLine } from './decode-line.ts';
import type { BlockHandler } from './line-splitter.ts';

/** How the lines of a source are encoded. */
export type LineFormat = {
  readonly maxBytes: number;
  /** The bytes of an encoded line that a line containing `text` must contain. */
  toNeedle(text: string): string;
  /** The line of the target's log; undefined when `line` is not one. */
  read(line: string): TargetLogLine | undefined;
};

/** A line of the target's log. `identity` is set by sources that may repeat a line; it is unique for each line. */
export type TargetLogLine = {
  readonly text: string;
  readonly identity?: string;
  /** When the process that wrote it was started, where the source knows. */
  readonly processStartedAtMs?: number | undefined;
  /** When it was written, by the clock of this machine, where the source knows. */
  readonly writtenAtMs?: number | undefined;
  /** The compose service that wrote it, and the digest of its image, where the source knows. */
  readonly service?: string | undefined;
  readonly image?: string | undefined;
};

/** `getIncompleteLines`: the lines of the source that have no line break yet. */
export type LineWatchesOptions = {
  readonly clock: Pick<Clock, 'sleep' | 'nowMs' | 'monotonicMs'>;
  readonly lineFormat: LineFormat;
  readonly getIncompleteLines: () => readonly Buffer[];
};

const newline = 10;
const maxRecentBytes = 1_048_576;
const maxWatchLines = 100_000;
const maxWatchCharacters = 64 * 1024 * 1024;

/** Lines, and when they came, by the monotonic clock. */
type RecentBlock = { readonly bytes: Buffer; readonly seenAtMs: number };

export class LineWatches {
  readonly #options: LineWatchesOptions;
  readonly #watches = new Set<Watch>();
  #recentBlocks: RecentBlock[] = [];
  #recentBytes = 0;
  #hasLines = false;

  constructor(options: LineWatchesOptions) {
    this.#options = options;
  }

  /** True once a line of the target has come. */
  get hasLines(): boolean {
    return this.#hasLines;
  }

  get isIdle(): boolean {
    return this.#watches.size === 0;
  }

  /** Searches a block of complete lines for every watch. Only lines with a match are decoded to text. */
  readonly take: BlockHandler = (block) => {
    this.#hasLines ||= this.#holdsLine(block);
    const seenAtMs = this.#options.clock.monotonicMs();
    for (const watch of this.#watches) watch.search(block, seenAtMs);
    this.#storeRecent({ bytes: Buffer.from(block), seenAtMs });
  };

  start(text: string): LogWatch {
    const { clock, lineFormat, getIncompleteLines } = this.#options;
    const watch = new Watch(text, { clock, lineFormat, getIncompleteLines }, () => this.#watches.delete(watch));
    for (const { bytes, seenAtMs } of this.#recentBlocks) watch.search(bytes, seenAtMs);
    this.#watches.add(watch);
    return watch;
  }

  /** A source may send other messages between lines. */
  #holdsLine(block: Buffer): boolean {
    const { maxBytes, read } = this.#options.lineFormat;
    for (let start = 0; start < block.length; ) {
      const end = block.indexOf(newline, start);
      const lineEnd = end === -1 ? block.length : end;
      if (lineEnd > start && read(decodeLine(block.subarray(start, lineEnd), maxBytes)) !== undefined) return true;
      start = lineEnd + 1;
    }
    return false;
  }

  #storeRecent(block: RecentBlock): void {
    this.#recentBlocks.push(block);
    this.#recentBytes += block.bytes.length;
    let dropCount = 0;
    while (this.#recentBytes > maxRecentBytes && dropCount < this.#recentBlocks.length - 1) {
      this.#recentBytes -= this.#recentBlocks[dropCount]?.bytes.length ?? 0;
      dropCount += 1;
    }
    if (dropCount > 0) this.#recentBlocks.splice(0, dropCount);
  }
}

type OriginMember = 'processStartedAtMs' | 'service' | 'image';

class Watch implements LogWatch {
  readonly lines: string[] = [];
  readonly timesMs: number[] = [];
  processStartedAtMs: number | undefined;
  readonly images = new Map<string, string>();
  readonly #text: string;
  readonly #needle: Buffer;
  readonly #options: LineWatchesOptions;
  readonly #remove: () => boolean;
  readonly #listeners = new Listeners();
  readonly #knownIdentities = new Set<string>();
  #characterCount = 0;

  constructor(text: string, options: LineWatchesOptions, forget: () => boolean) {
    this.#text = text;
    this.#needle = Buffer.from(options.lineFormat.toNeedle(text));
    this.#options = options;
    this.#remove = forget;
  }

  search(block: Buffer, seenAtMs: number): void {
    const previousCount = this.lines.length;
    for (let index = block.indexOf(this.#needle); index !== -1 && index < block.length; ) {
      const end = block.indexOf(newline, index);
      const lineEnd = end === -1 ? block.length : end;
      this.#add(block.subarray(block.lastIndexOf(newline, index) + 1, lineEnd), seenAtMs);
      index = block.indexOf(this.#needle, lineEnd + 1);
    }
    if (this.lines.length > previousCount) this.#listeners.notify();
  }

  #add(line: Buffer, seenAtMs: number): void {
    const { lineFormat } = this.#options;
    if (this.lines.length >= maxWatchLines || this.#characterCount >= maxWatchCharacters) return;
    const { text, identity, writtenAtMs, ...origin } = lineFormat.read(decodeLine(line, lineFormat.maxBytes)) ?? {};
    if (!text?.includes(this.#text) || this.#isKnown(identity)) return;
    this.lines.push(text);
    this.timesMs.push(this.#toMonotonicMs(writtenAtMs, seenAtMs));
    this.#noteOrigin(origin);
    this.#characterCount += text.length;
  }

  /** A clock that was set since could put a line after it was seen. */
  #toMonotonicMs(writtenAtMs: number | undefined, seenAtMs: number): number {
    if (writtenAtMs === undefined) return seenAtMs;
    const { clock } = this.#options;
    return Math.min(seenAtMs, clock.monotonicMs() - (clock.nowMs() - writtenAtMs));
  }

  #noteOrigin({ processStartedAtMs, service, image }: Pick<TargetLogLine, OriginMember>): void {
    this.processStartedAtMs ??= processStartedAtMs;
    if (service !== undefined && image !== undefined && !this.images.has(service)) this.images.set(service, image);
  }

  #isKnown(identity: string | undefined): boolean {
    if (identity === undefined) return false;
    const isKnown = this.#knownIdentities.has(identity);
    this.#knownIdentities.add(identity);
    return isKnown;
  }

  /** Keeps the process alive: a waiting caller may have no other handle that does. */
  async changed(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return false;
    const change = new AbortController();
    const stopListening = this.#listeners.add(() => change.abort());
    const ends = signal ? AbortSignal.any([signal, change.signal]) : change.signal;
    await pauseUntilAborted(this.#options.clock, timeoutMs, ends);
    stopListening();
    return change.signal.aborted;
  }

  stop(): void {
    if (!this.#remove()) return;
    const { clock, getIncompleteLines } = this.#options;
    for (const incompleteLine of getIncompleteLines()) this.search(incompleteLine, clock.monotonicMs());
  }
}
