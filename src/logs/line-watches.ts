/** Who waits for which lines, and the most recent lines for those who begin a moment late. */
import type { Clock } from '../environment/clock.ts';
import type { BlockTaker } from './line-splitter.ts';
import { lineText } from './line-text.ts';
import type { LogWatch } from './log-source.ts';

/** How lines stand in the bytes of a source. */
export type LineForm = {
  readonly limitBytes: number;
  /** What a line that contains `text` contains in its bytes. */
  needleOf(text: string): string;
  /** The line of the target's log; undefined for what is none. */
  read(line: string): ReadLine | undefined;
};

/** A line of the target's log. `identity`: of a source that may tell a line once more; two lines never have the same. */
export type ReadLine = { readonly text: string; readonly identity?: string };

/** What watches need of their source. `torn`: the lines that have begun and are not complete. */
export type WatchesOptions = {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly form: LineForm;
  readonly torn: () => readonly Buffer[];
};

const newline = 10;
const recentLimitBytes = 1_048_576;
const keptLines = 100_000;
const keptCharacters = 64 * 1024 * 1024;

/** The watches of one source. */
export class LineWatches {
  readonly #options: WatchesOptions;
  readonly #watches = new Set<Watch>();
  #recent: Buffer[] = [];
  #recentBytes = 0;

  constructor(options: WatchesOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#watches.size === 0;
  }

  /** Shows a block of whole lines to every watch. Bytes are searched, and only lines that are looked for become text. */
  readonly take: BlockTaker = (block) => {
    for (const watch of this.#watches) watch.search(block);
    this.#remember(Buffer.from(block));
  };

  begin(text: string): LogWatch {
    const { clock, form, torn } = this.#options;
    const watch = new Watch(text, { clock, form, torn }, () => this.#watches.delete(watch));
    for (const block of this.#recent) watch.search(block);
    this.#watches.add(watch);
    return watch;
  }

  #remember(block: Buffer): void {
    this.#recent.push(block);
    this.#recentBytes += block.length;
    let old = 0;
    while (this.#recentBytes > recentLimitBytes && old < this.#recent.length - 1) {
      this.#recentBytes -= this.#recent[old]?.length ?? 0;
      old += 1;
    }
    if (old > 0) this.#recent.splice(0, old);
  }
}

class Watch implements LogWatch {
  readonly lines: string[] = [];
  readonly #text: string;
  readonly #needle: Buffer;
  readonly #options: WatchesOptions;
  readonly #forget: () => boolean;
  readonly #waiting = new Set<() => void>();
  readonly #known = new Set<string>();
  #characters = 0;

  constructor(text: string, options: WatchesOptions, forget: () => boolean) {
    this.#text = text;
    this.#needle = Buffer.from(options.form.needleOf(text));
    this.#options = options;
    this.#forget = forget;
  }

  search(block: Buffer): void {
    const before = this.lines.length;
    for (let at = block.indexOf(this.#needle); at !== -1 && at < block.length; ) {
      const end = block.indexOf(newline, at);
      const lineEnd = end === -1 ? block.length : end;
      this.#add(block.subarray(block.lastIndexOf(newline, at) + 1, lineEnd));
      at = block.indexOf(this.#needle, lineEnd + 1);
    }
    if (this.lines.length > before) for (const tell of [...this.#waiting]) tell();
  }

  #add(line: Buffer): void {
    const { form } = this.#options;
    if (this.lines.length >= keptLines || this.#characters >= keptCharacters) return;
    const { text, identity } = form.read(lineText(line, form.limitBytes)) ?? {};
    if (!text?.includes(this.#text) || this.#isKnown(identity)) return;
    this.lines.push(text);
    this.#characters += text.length;
  }

  #isKnown(identity: string | undefined): boolean {
    if (identity === undefined) return false;
    const isKnown = this.#known.has(identity);
    this.#known.add(identity);
    return isKnown;
  }

  /** Keeps the process awake: whoever waits has nothing else that does. */
  async changed(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return false;
    let changed = false;
    const over = new AbortController();
    const giveUp = (): void => over.abort();
    const tell = (): void => {
      changed = true;
      over.abort();
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#waiting.add(tell);
    await this.#options.clock.sleep(timeoutMs, over.signal).catch(() => undefined);
    signal?.removeEventListener('abort', giveUp);
    this.#waiting.delete(tell);
    return changed;
  }

  end(): void {
    if (this.#forget()) for (const torn of this.#options.torn()) this.search(torn);
  }
}
