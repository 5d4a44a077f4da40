/** The write-ahead log of an open store, synced past SQLite. */
import { type FileHandle, open } from 'node:fs/promises';
import { vpError } from '../../errors/vp-error.ts';

/** The file stays open: SQLite writes the same one until the store is closed, and opening it anew takes longer than a call. */
export class WriteAheadLog {
  readonly #file: string;
  #opening: Promise<FileHandle> | undefined;

  /** `file` is the store's. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Syncs to the disk in another thread, as a commit under synchronous FULL does in this one. Rejects with STORE_UNWRITABLE. */
  async sync(): Promise<void> {
    try {
      this.#opening ??= open(`${this.#file}-wal`, 'r+');
      const log = await this.#opening;
      await log.datasync();
    } catch (cause) {
      await this.close();
      throw vpError('STORE_UNWRITABLE', { file: this.#file }, { cause, detail: String(cause) });
    }
  }

  /** Never rejects. */
  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    await opening?.then((log) => log.close()).catch(() => {});
  }
}
