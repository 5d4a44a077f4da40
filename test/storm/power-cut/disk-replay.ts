/**
 * What a disk may have after a power cut, from the journal of `write-journal.c`: everything that was synced, and any part of
 * the rest. Writes that were not synced are there, missing, or torn at sectors, in any combination; creations, renames and
 * removals that were not synced with their folder are lost from some point on.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { SeededRandom } from '../seeded-random.ts';

const operations = ['created', 'written', 'truncated', 'renamed', 'removed', 'sync begun', 'sync ended'] as const;
const headerBytes = 32;
const sectorBytes = 512;

export type JournalRecord = {
  readonly operation: (typeof operations)[number];
  /** Position in the journal after this record. */
  readonly endsAt: number;
  readonly path: string;
  /** Of a rename. */
  readonly target: string;
  readonly offset: number;
  readonly bytes: Buffer;
  readonly thread: number;
};

/** The records of a journal; a last one that is not complete is left out. */
export function* readJournal(journal: Buffer): Generator<JournalRecord> {
  for (let at = 0; at + headerBytes <= journal.length; ) {
    const operation = operations[journal.readUInt32LE(at) - 1];
    const pathLength = journal.readUInt32LE(at + 4);
    const offset = Number(journal.readBigUInt64LE(at + 8));
    const length = Number(journal.readBigUInt64LE(at + 16));
    const thread = Number(journal.readBigUInt64LE(at + 24));
    if (operation === undefined) throw new Error(`the journal is damaged at ${at}`);
    const bytesAt = at + headerBytes + pathLength;
    const endsAt = bytesAt + length;
    if (endsAt > journal.length) return;
    const [path = '', target = ''] = journal.toString('utf8', at + headerBytes, bytesAt).split('\0');
    yield { operation, endsAt, path, target, offset, bytes: journal.subarray(bytesAt, endsAt), thread };
    at = endsAt;
  }
}

/** A write, or a truncation to `offset` where there are no bytes. */
type Change = { readonly offset: number; readonly bytes: Buffer | undefined };

/** `content` grows by doubling; its first `size` bytes are the file's. */
class DiskFile {
  #content = Buffer.alloc(0);
  #size = 0;
  /** Not synced, oldest first. */
  readonly pending: Change[] = [];

  /** Makes the oldest changes permanent. */
  sync(count: number): void {
    for (const change of this.pending.splice(0, count)) this.#apply(change);
  }

  #resize(size: number): void {
    if (size > this.#content.length) {
      const grown = Buffer.alloc(Math.max(size, this.#content.length * 2));
      this.#content.copy(grown, 0, 0, this.#size);
      this.#content = grown;
    }
    if (size < this.#size) this.#content.fill(0, size, this.#size);
    this.#size = size;
  }

  #apply({ offset, bytes }: Change): void {
    this.#resize(bytes ? Math.max(this.#size, offset + bytes.length) : offset);
    bytes?.copy(this.#content, offset);
  }

  /** A copy as it may be after a cut. */
  cut(draw: (change: Change) => readonly Change[]): Buffer {
    const copy = new DiskFile();
    copy.#content = Buffer.from(this.#content.subarray(0, this.#size));
    copy.#size = this.#size;
    for (const change of this.pending.flatMap((pending) => draw(pending))) copy.#apply(change);
    return copy.#content.subarray(0, copy.#size);
  }
}

/** A change of names. `file` is what a creation names. */
type NameChange =
  | { readonly kind: 'created'; readonly path: string; readonly file: DiskFile }
  | { readonly kind: 'renamed'; readonly path: string; readonly target: string }
  | { readonly kind: 'removed'; readonly path: string };

type Names = Map<string, DiskFile>;

function applyName(names: Names, change: NameChange): void {
  if (change.kind === 'created') names.set(change.path, change.file);
  else {
    const file = names.get(change.path);
    names.delete(change.path);
    if (change.kind === 'renamed' && file) names.set(change.target, file);
  }
}

/** The part of a write that reached the disk: some of its sectors. */
function tear({ offset, bytes }: Change, random: SeededRandom): Change[] {
  if (!bytes) return [];
  const sectors: Change[] = [];
  for (let at = 0; at < bytes.length; ) {
    // Sectors are counted from the beginning of the file.
    const end = Math.min(bytes.length, at + sectorBytes - ((offset + at) % sectorBytes));
    if (random.chance(0.5)) sectors.push({ offset: offset + at, bytes: bytes.subarray(at, end) });
    at = end;
  }
  return sectors;
}

/** How a cut treats what was not synced. */
export const cutKinds = ['all lost', 'oldest remain', 'any remain', 'any remain, torn'] as const;
export type CutKind = (typeof cutKinds)[number];

/** The disk below `folder` while a journal is read. */
export class ReplayedDisk {
  readonly #folder: string;
  /** As running programs see it, and as the disk has it. */
  readonly #names: Names = new Map();
  readonly #durableNames: Names = new Map();
  readonly #pendingNames: NameChange[] = [];
  /** By thread: what a sync that has begun will have made permanent. */
  readonly #syncs = new Map<number, { readonly changes: number; readonly names: ReadonlySet<NameChange> }>();
  unsynced = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  #changeName(change: NameChange): void {
    applyName(this.#names, change);
    this.#pendingNames.push(change);
  }

  apply({ operation, path, target, offset, bytes, thread }: JournalRecord): void {
    const file = this.#names.get(path);
    if (operation === 'created') this.#changeName({ kind: 'created', path, file: new DiskFile() });
    else if (operation === 'renamed') this.#changeName({ kind: 'renamed', path, target });
    else if (operation === 'removed') this.#changeName({ kind: 'removed', path });
    else if (operation === 'written') file?.pending.push({ offset, bytes });
    else if (operation === 'truncated') file?.pending.push({ offset, bytes: undefined });
    else if (operation === 'sync begun') {
      const inFolder = this.#pendingNames.filter((change) => dirname(change.path) === path);
      this.#syncs.set(thread, { changes: file?.pending.length ?? 0, names: new Set(inFolder) });
    } else this.#endSync(file, thread);
  }

  #endSync(file: DiskFile | undefined, thread: number): void {
    const sync = this.#syncs.get(thread);
    this.#syncs.delete(thread);
    if (!sync) return;
    file?.sync(sync.changes);
    for (const change of this.#pendingNames) if (sync.names.has(change)) applyName(this.#durableNames, change);
    const remaining = this.#pendingNames.filter((change) => !sync.names.has(change));
    this.#pendingNames.splice(0, this.#pendingNames.length, ...remaining);
  }

  /** Writes the folder as it may be after a cut at this moment, to `to`. */
  cut(to: string, kind: CutKind, random: SeededRandom): void {
    const names = new Map(this.#durableNames);
    const namesLost = kind === 'all lost' ? 0 : random.integer(0, this.#pendingNames.length);
    for (const change of this.#pendingNames.slice(0, namesLost)) applyName(names, change);
    mkdirSync(to, { recursive: true });
    for (const [path, file] of names) {
      const oldest = random.integer(0, file.pending.length);
      this.unsynced += file.pending.length;
      const content = file.cut((change) => {
        if (kind === 'all lost') return [];
        if (kind === 'oldest remain') return file.pending.indexOf(change) < oldest ? [change] : [];
        if (random.chance(0.5)) return kind === 'any remain, torn' && random.chance(0.5) ? tear(change, random) : [];
        return [change];
      });
      const copy = join(to, relative(this.#folder, path));
      if (basename(copy).endsWith('.sock')) continue;
      mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
      writeFileSync(copy, content, { mode: 0o600 });
    }
  }
}
