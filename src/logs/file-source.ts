/** A log in a file that may rotate: renamed and created anew, emptied in place, missing for a while. */
import { type FSWatcher, watch as watchFolder } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../environment/clock.ts';
import { type FileIdentity, FollowedFile } from './followed-file.ts';
import { lineLimitBytes } from './line-text.ts';
import { LineWatches } from './line-watches.ts';
import type { LogSource, LogTrouble, LogWatch } from './log-source.ts';
import { Standing } from './standing.ts';
import { systemCode, systemReason, troubleOf } from './trouble.ts';

/** `path` may be absent at first: then all that is written to it later is read. */
export type FileSourceOptions = { readonly path: string; readonly clock: Clock };

/** The folder's events come within a millisecond; where there are none (network drives, links), it is looked so often. */
const watchedPollMs = 20;
const idlePollMs = 250;
/** A writer may go on for so long in the file that was renamed; for as long a name may be missing without trouble. */
const rotationMs = 5000;

/** Follows the file from its present end on. */
export function fileSource(options: FileSourceOptions): LogSource {
  return new FileSource(options);
}

class FileSource implements LogSource {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #standing: Standing;
  readonly #watches: LineWatches;
  readonly #loop: Promise<void>;
  #current: FollowedFile | undefined;
  #retired: { readonly file: FollowedFile; readonly untilMs: number }[] = [];
  #from: 'start' | 'end' = 'end';
  #missingSinceMs: number | undefined;
  #folder: FSWatcher | undefined;
  #nudged = false;
  #nudge = (): void => {};
  #closed = false;

  constructor({ path, clock }: FileSourceOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#standing = new Standing(clock, this.#unreadable('it was not looked at yet'));
    const form = { limitBytes: lineLimitBytes, needleOf: (text: string) => text, read: (text: string) => ({ text }) };
    this.#watches = new LineWatches({ clock, form, torn: () => this.#files().map(({ torn }) => torn) });
    this.#loop = this.#follow();
  }

  trouble(): LogTrouble | undefined {
    return this.#standing.trouble;
  }

  ready(timeoutMs: number): Promise<void> {
    return this.#standing.ready(timeoutMs);
  }

  watch(text: string): LogWatch {
    const watch = this.#watches.begin(text);
    this.#look();
    return watch;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#look();
    await this.#loop;
  }

  #look(): void {
    this.#nudged = true;
    this.#nudge();
  }

  #files(): FollowedFile[] {
    const retired = this.#retired.map(({ file }) => file);
    return this.#current ? [...retired, this.#current] : retired;
  }

  #unreadable(reason: string): LogTrouble {
    return troubleOf('LOG_FILE_UNREADABLE', { file: this.#path, reason });
  }

  async #follow(): Promise<void> {
    while (!this.#closed) {
      this.#nudged = false;
      await this.#readAll().catch((error: unknown) => this.#standing.set(this.#unreadable(systemReason(error))));
      await this.#pause();
    }
    this.#folder?.close();
    await Promise.all(this.#files().map((file) => file.close()));
  }

  async #pause(): Promise<void> {
    if (this.#nudged) return;
    const pollMs = this.#watches.isIdle ? idlePollMs : watchedPollMs;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(pollMs, resolve);
      this.#nudge = () => {
        cancel();
        resolve();
      };
    });
  }

  async #readAll(): Promise<void> {
    await this.#readRetired();
    await this.#current?.read(this.#watches.take);
    const found = await this.#find();
    if (!found) return this.#tellMissing();
    this.#missingSinceMs = undefined;
    if (!this.#current?.is(found)) await this.#turnTo();
    this.#standing.set(undefined);
  }

  async #find(): Promise<FileIdentity | undefined> {
    try {
      const found = await stat(this.#path, { bigint: true });
      if (!found.isFile()) throw new Error(found.isDirectory() ? 'it is a folder' : 'it is no file');
      return found;
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      this.#from = 'start';
      return undefined;
    }
  }

  #tellMissing(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#missingSinceMs ??= nowMs;
    if (this.#current && nowMs - this.#missingSinceMs < rotationMs) return;
    this.#standing.set(troubleOf('LOG_FILE_MISSING', { file: this.#path }), false); // It is read from its start.
  }

  /** Another file has the name now. The one before is read on for a while. */
  async #turnTo(): Promise<void> {
    const next = await FollowedFile.open(this.#path, this.#from);
    this.#from = 'start';
    if (this.#current) {
      this.#retired.push({ file: this.#current, untilMs: this.#clock.monotonicMs() + rotationMs });
      await this.#current.read(this.#watches.take);
    }
    this.#current = next;
    this.#watchFolder();
    await next.read(this.#watches.take);
  }

  async #readRetired(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    for (const { file } of this.#retired) await file.read(this.#watches.take);
    const old = this.#retired.filter(({ untilMs }) => untilMs <= nowMs);
    this.#retired = this.#retired.filter(({ untilMs }) => untilMs > nowMs);
    for (const { file } of old) await file.close();
  }

  /** Without events (a limit of the system, an odd drive) looking by the clock is enough. */
  #watchFolder(): void {
    if (this.#folder) return;
    const name = basename(this.#path);
    const gone = (): void => {
      this.#folder?.close();
      this.#folder = undefined;
    };
    try {
      this.#folder = watchFolder(dirname(this.#path), { persistent: false }, (_event, changed) => {
        if (changed === null || changed === name) this.#look();
      }).on('error', gone);
    } catch {
      gone();
    }
  }
}
