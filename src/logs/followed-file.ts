/** One file of a log, whatever its name becomes: what is written at its end. */
import { type FileHandle, open } from 'node:fs/promises';
import { type BlockTaker, LineSplitter } from './line-splitter.ts';
import { lineLimitBytes } from './line-text.ts';

const chunkBytes = 262_144;
const anchorBytes = 64;

/** Which file stands behind a name: as long as it is open, no other gets the same. */
export type FileIdentity = { readonly dev: bigint; readonly ino: bigint };

/**
 * Follows an open file. Each look reads the last bytes of the one before once more: where they have changed, the file was
 * emptied and written anew (copytruncate), even when it has grown past its former size meanwhile.
 */
export class FollowedFile {
  readonly identity: FileIdentity;
  readonly #handle: FileHandle;
  readonly #splitter = new LineSplitter(lineLimitBytes);
  readonly #buffer = Buffer.allocUnsafe(chunkBytes);
  #position: number;
  #anchor = Buffer.alloc(0);

  private constructor(handle: FileHandle, identity: FileIdentity, position: number) {
    this.#handle = handle;
    this.identity = identity;
    this.#position = position;
  }

  /** Opens `path` to be read from its start, or from its present end. Rejects with what the system says. */
  static async open(path: string, from: 'start' | 'end'): Promise<FollowedFile> {
    const handle = await open(path, 'r');
    try {
      const { dev, ino, size } = await handle.stat({ bigint: true });
      const file = new FollowedFile(handle, { dev, ino }, from === 'end' ? Number(size) : 0);
      await file.#readAnchor();
      return file;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The line that has begun and is not complete. */
  get torn(): Buffer {
    return this.#splitter.torn;
  }

  is({ dev, ino }: FileIdentity): boolean {
    return this.identity.dev === dev && this.identity.ino === ino;
  }

  /** Reads to the end. Rejects with what the system says. */
  async read(take: BlockTaker): Promise<void> {
    for (;;) {
      const known = this.#anchor.length;
      const { bytesRead } = await this.#handle.read(this.#buffer, 0, chunkBytes, this.#position - known);
      const read = this.#buffer.subarray(0, bytesRead);
      if (!read.subarray(0, known).equals(this.#anchor)) this.#beginAnew(take);
      else if (bytesRead === known) return;
      else this.#advance(read, known, take);
    }
  }

  #advance(read: Buffer, known: number, take: BlockTaker): void {
    this.#splitter.push(read.subarray(known), take);
    this.#position += read.length - known;
    this.#anchor = Buffer.from(read.subarray(-anchorBytes));
  }

  #beginAnew(take: BlockTaker): void {
    this.#splitter.flush(take);
    this.#position = 0;
    this.#anchor = Buffer.alloc(0);
  }

  async #readAnchor(): Promise<void> {
    const length = Math.min(anchorBytes, this.#position);
    const { bytesRead } = await this.#handle.read(this.#buffer, 0, length, this.#position - length);
    this.#anchor = Buffer.from(this.#buffer.subarray(0, bytesRead));
    this.#position += bytesRead - length;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
