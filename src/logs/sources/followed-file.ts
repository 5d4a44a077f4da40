/** One file of a log, independent of its name; reads what is appended. */
import { type FileHandle, open } from 'node:fs/promises';
import { maxLineBytes } from '../lines/decode-line.ts';
import { type BlockHandler, LineSplitter } from '../lines/line-splitter.ts';

const chunkBytes = 262_144;
const anchorBytes = 64;

/** Identifies a file behind a path: unique as long as the file is open. */
export type FileIdentity = { readonly dev: bigint; readonly ino: bigint };

/**
 * Follows an open file. Each read repeats the last bytes of the previous one: when they have changed, the file was
 * truncated and rewritten (copytruncate), even if it has grown past its former size since.
 */
export class FollowedFile {
  readonly identity: FileIdentity;
  readonly #handle: FileHandle;
  readonly #splitter = new LineSplitter(maxLineBytes);
  readonly #buffer = Buffer.allocUnsafe(chunkBytes);
  #position: number;
  #anchor = Buffer.alloc(0);

  private constructor(handle: FileHandle, identity: FileIdentity, position: number) {
    this.#handle = handle;
    this.identity = identity;
    this.#position = position;
  }

  /** Opens `path` to be read from its start, or from its present end. Rejects with the error of the system. */
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

  /** The line without a line break yet. */
  get incompleteLine(): Buffer {
    return this.#splitter.incompleteLine;
  }

  isSameFile({ dev, ino }: FileIdentity): boolean {
    return this.identity.dev === dev && this.identity.ino === ino;
  }

  /** Reads to the end. Rejects with the error of the system. */
  async read(takeBlock: BlockHandler): Promise<void> {
    for (;;) {
      const overlapBytes = this.#anchor.length;
      const { bytesRead } = await this.#handle.read(this.#buffer, 0, chunkBytes, this.#position - overlapBytes);
      const bytes = this.#buffer.subarray(0, bytesRead);
      if (!bytes.subarray(0, overlapBytes).equals(this.#anchor)) this.#restart(takeBlock);
      else if (bytesRead === overlapBytes) return;
      else this.#advance(bytes, overlapBytes, takeBlock);
    }
  }

  #advance(bytes: Buffer, overlapBytes: number, takeBlock: BlockHandler): void {
    this.#splitter.push(bytes.subarray(overlapBytes), takeBlock);
    this.#position += bytes.length - overlapBytes;
    this.#anchor = Buffer.from(bytes.subarray(-anchorBytes));
  }

  #restart(takeBlock: BlockHandler): void {
    this.#splitter.flush(takeBlock);
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
