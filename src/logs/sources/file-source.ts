/** A log in a file that may be rotated: renamed and recreated, truncated in place, or missing for a while. */
import { type FSWatcher, watch as watchFolder } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../environment/clock.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';
import { maxLineBytes } from '../lines/decode-line.ts';
import { LineWatches } from '../lines/line-watches.ts';
import type { LogSource, LogUnavailable, LogWatch } from '../log-source.ts';
import { createLogUnavailable, describeSystemError } from '../log-unavailable.ts';
import { type FileIdentity, FollowedFile } from './followed-file.ts';
import { SourceAvailability } from './source-availability.ts';

/** `path` may not exist yet: then everything written to it later is read. */
export type FileSourceOptions = { readonly path: string; readonly clock: Clock };

/**
 * Folder events arrive within a millisecond; these are the polling intervals where there are none (network drives,
 * links).
 */
const activePollMs = 20;
const idlePollMs = 250;
/** How long a writer may continue in the renamed file, and how long a file may be missing without a problem. */
const maxRotationMs = 5000;

/** Follows the file from its present end. */
export function openFileSource(options: FileSourceOptions): LogSource {
  return new FileSource(options);
}

class FileSource implements LogSource {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #availability: SourceAvailability;
  readonly #watches: LineWatches;
  readonly #loop: Promise<void>;
  #current: FollowedFile | undefined;
  #rotatedFiles: { readonly file: FollowedFile; readonly untilMs: number }[] = [];
  #readFrom: 'start' | 'end' = 'end';
  #missingSinceMs: number | undefined;
  #folderWatcher: FSWatcher | undefined;
  #isReadRequested = false;
  #wake = (): void => {};
  #isClosed = false;

  constructor({ path, clock }: FileSourceOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#availability = new SourceAvailability(clock, this.#createUnreadable('it was not read yet'));
    const lineFormat = {
      maxBytes: maxLineBytes,
      toNeedle: (text: string) => text,
      read: (text: string) => ({ text }),
    };
    this.#watches = new LineWatches({
      clock,
      lineFormat,
      getIncompleteLines: () => this.#files().map(({ incompleteLine }) => incompleteLine),
    });
    this.#loop = this.#follow();
  }

  getProblem(): LogUnavailable | undefined {
    return this.#availability.problem;
  }

  hasGivenLines(): boolean {
    return this.#watches.hasLines;
  }

  ready(timeoutMs: number): Promise<void> {
    return this.#availability.ready(timeoutMs);
  }

  watch(text: string): LogWatch {
    const watch = this.#watches.start(text);
    this.#requestRead();
    return watch;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#requestRead();
    await this.#loop;
  }

  #requestRead(): void {
    this.#isReadRequested = true;
    this.#wake();
  }

  #files(): FollowedFile[] {
    const retired = this.#rotatedFiles.map(({ file }) => file);
    return this.#current ? [...retired, this.#current] : retired;
  }

  #createUnreadable(reason: string): LogUnavailable {
    return createLogUnavailable('LOG_FILE_UNREADABLE', { file: this.#path, reason });
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      this.#isReadRequested = false;
      await this.#readAll().catch((error: unknown) =>
        this.#availability.set(this.#createUnreadable(describeSystemError(error))),
      );
      await this.#pause();
    }
    this.#folderWatcher?.close();
    await Promise.all(this.#files().map((file) => file.close()));
  }

  async #pause(): Promise<void> {
    if (this.#isReadRequested) return;
    const pollMs = this.#watches.isIdle ? idlePollMs : activePollMs;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(pollMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  async #readAll(): Promise<void> {
    await this.#readRotated();
    await this.#current?.read(this.#watches.take);
    const stats = await this.#findFile();
    if (!stats) return this.#reportMissing();
    this.#missingSinceMs = undefined;
    if (!this.#current?.isSameFile(stats)) await this.#switchToNewFile();
    this.#availability.set(undefined);
  }

  async #findFile(): Promise<FileIdentity | undefined> {
    try {
      const stats = await stat(this.#path, { bigint: true });
      if (!stats.isFile()) throw new Error(stats.isDirectory() ? 'it is a folder' : 'it is not a file');
      return stats;
    } catch (error) {
      if (getSystemErrorCode(error) !== 'ENOENT') throw error;
      this.#readFrom = 'start';
      return undefined;
    }
  }

  #reportMissing(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#missingSinceMs ??= nowMs;
    if (this.#current && nowMs - this.#missingSinceMs < maxRotationMs) return;
    this.#availability.set(createLogUnavailable('LOG_FILE_MISSING', { file: this.#path }), false); // It is read from its start.
  }

  /** The path now leads to another file. The previous one is read for a while longer. */
  async #switchToNewFile(): Promise<void> {
    const next = await FollowedFile.open(this.#path, this.#readFrom);
    this.#readFrom = 'start';
    if (this.#current) {
      this.#rotatedFiles.push({ file: this.#current, untilMs: this.#clock.monotonicMs() + maxRotationMs });
      await this.#current.read(this.#watches.take);
    }
    this.#current = next;
    this.#watchFolder();
    await next.read(this.#watches.take);
  }

  async #readRotated(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    for (const { file } of this.#rotatedFiles) await file.read(this.#watches.take);
    const expired = this.#rotatedFiles.filter(({ untilMs }) => untilMs <= nowMs);
    this.#rotatedFiles = this.#rotatedFiles.filter(({ untilMs }) => untilMs > nowMs);
    for (const { file } of expired) await file.close();
  }

  /** Without events (a system limit, an unusual drive) polling is sufficient. */
  #watchFolder(): void {
    if (this.#folderWatcher) return;
    const name = basename(this.#path);
    const closeFolder = (): void => {
      this.#folderWatcher?.close();
      this.#folderWatcher = undefined;
    };
    try {
      this.#folderWatcher = watchFolder(dirname(this.#path), { persistent: false }, (_event, changed) => {
        if (changed === null || changed === name) this.#requestRead();
      }).on('error', closeFolder);
    } catch {
      closeFolder();
    }
  }
}
