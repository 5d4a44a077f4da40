/**
 * Calls that are recorded in a file and whose rows follow together. A commit for each call took a quarter of the time that the
 * hub adds, most of it because SQLite's code and pages are not in the processor's caches (docs/contributing/measurements.md).
 *
 * A call is linked to its chain when its line is written, so that the rows are the same as without the file. They are in the
 * tables before anything is read, deleted, synced or written there, and after a kill they are added at the next start. A line
 * whose row is there already changes nothing, and one that does not continue its chain is left out.
 */
import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import type { AuditDatabase } from '../../store/audit/audit-database.ts';
import type { AuditChainRow } from '../../store/audit/chains.ts';
import { RecentFile } from '../../store/audit/recent-file.ts';
import type { Sql } from '../../store/sql.ts';
import type { ChainKeys, PreparedCall } from './append-calls.ts';
import { toAttestedCall, toEntryKeys } from './attested-call.ts';
import { computeEntryMac } from './chain.ts';
import { formatRecentLine, insertRecentRows, type RecentRow } from './recent-rows.ts';

type Head = Pick<AuditChainRow, 'head_seq' | 'head_mac'>;

/** When so many rows are pending, they are written, which takes 1 to 2 ms. */
const maxPendingRows = 64;

export class RecentCalls {
  readonly #database: AuditDatabase;
  readonly #keys: ChainKeys;
  readonly #file: RecentFile;
  /** By hub id: the ends of chains with their pending rows. The first call of a chain writes its row to the tables, where its end is found. */
  readonly #heads = new Map<string, Head>();
  #pending: RecentRow[] = [];
  /** Rows that were pending since the start, and those of them that are in the tables. */
  #appendedRows = 0;
  #insertedRows = 0;
  #inserting: Promise<void> | undefined;

  /** The lines of an earlier process must be in the tables. Throws STORE_UNWRITABLE. */
  constructor(database: AuditDatabase, keys: ChainKeys) {
    this.#database = database;
    this.#keys = keys;
    this.#file = new RecentFile(database.file);
  }

  get isFull(): boolean {
    return this.#pending.length >= maxPendingRows;
  }

  /** False for calls whose rows must be written to the tables. */
  canAppend(calls: readonly PreparedCall[]): boolean {
    return calls.every(
      ({ entry }) =>
        this.#heads.has(entry.principal.hub.id) && entry.outcome !== 'started' && entry.intentSeq === undefined,
    );
  }

  /** Records calls for which {@link canAppend} is true. Throws STORE_DISK_FULL, STORE_UNWRITABLE; nothing is recorded then. */
  append(calls: readonly PreparedCall[]): AuditCall[] {
    const heads = new Map<string, Head>();
    const rows: RecentRow[] = [];
    let lines = '';
    const written = calls.map((call) => {
      const hubId = call.entry.principal.hub.id;
      const head = heads.get(hubId) ?? this.#heads.get(hubId);
      if (!head) throw new TypeError('the end of the chain is not known');
      const seq = head.head_seq + 1;
      const attested = toAttestedCall(call.entry, seq, call);
      const body = JSON.stringify(attested);
      const mac = computeEntryMac(this.#keys(hubId), head.head_mac, body);
      const { salt, storedArguments } = call;
      const row = { hubId, seq, keys: toEntryKeys(attested, call.keys), body, mac, salt, storedArguments };
      rows.push(row);
      lines += formatRecentLine(row);
      heads.set(hubId, { head_seq: seq, head_mac: mac });
      return { ...attested, arguments: storedArguments };
    });
    this.#file.append(lines);
    for (const [hubId, head] of heads) this.#heads.set(hubId, head);
    for (const row of rows) this.#pending.push(row);
    this.#appendedRows += rows.length;
    return written;
  }

  /** The ends of chains to which rows were written in the tables. */
  noteHeads(heads: ReadonlyMap<string, Head>): void {
    for (const [hubId, { head_seq, head_mac }] of heads) this.#heads.set(hubId, { head_seq, head_mac });
  }

  /** The same database with all rows in its tables. */
  wrap(): AuditDatabase {
    const database = this.#database;
    return {
      ...database,
      write: (operation) => this.#write((sql) => database.write(sql), operation),
      writeDurably: (operation) => {
        // In the same commit, and known to be there before the disk is done: calls that come meanwhile would keep the file.
        if (this.#pending.length > 0) void this.insert().catch(() => undefined);
        return this.#write((sql) => database.writeDurably(sql), operation);
      },
      read: async (operation) => {
        // What cannot be written is found by the next call; what is in the tables can be read.
        if (this.#pending.length > 0) await this.insert().catch(() => undefined);
        return database.read(operation);
      },
      close: async () => {
        await database.close();
        this.#file.close();
      },
    };
  }

  /** Writes pending rows to the tables. Rejects with STORE_*; they stay pending then. */
  insert(): Promise<void> {
    const write = (operation: (sql: Sql) => void) => this.#database.write(operation);
    this.#inserting ??= this.#write(write, () => undefined).finally(() => {
      this.#inserting = undefined;
    });
    return this.#inserting;
  }

  async #write<T>(write: (operation: (sql: Sql) => T) => Promise<T>, operation: (sql: Sql) => T): Promise<T> {
    let insertedUntil = 0;
    const value = await write((sql) => {
      insertedUntil = this.#insertPending(sql);
      return operation(sql);
    });
    this.#noteInserted(insertedUntil);
    return value;
  }

  /** As `write` of the wrapped database for what deletes rows: it must not fail for want of room for pending ones. */
  async writeAndInsert<T>(operation: (sql: Sql) => T): Promise<T> {
    let insertedUntil = 0;
    const value = await this.#database.write((sql) => {
      const result = operation(sql);
      insertedUntil = this.#insertPending(sql);
      return result;
    });
    this.#noteInserted(insertedUntil);
    return value;
  }

  #insertPending(sql: Sql): number {
    if (this.#pending.length > 0) insertRecentRows(sql, this.#pending, this.#keys);
    return this.#appendedRows;
  }

  /** After the commit; several operations of one commit may have inserted the same rows. */
  #noteInserted(insertedUntil: number): void {
    const count = insertedUntil - this.#insertedRows;
    if (count <= 0) return;
    this.#insertedRows = insertedUntil;
    this.#pending = this.#pending.slice(count);
    if (this.#pending.length === 0) this.#file.clear();
  }
}
