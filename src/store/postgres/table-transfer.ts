/** The tables of one store on PostgreSQL, read for a copy in another engine or written from one, in the caller's transaction. */
import type { ClientBase } from 'pg';
import {
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  estimateBytes,
  maxBatchBytes,
  maxBatchRows,
  type TableReader,
  type TableWriter,
} from '../copy/copied-table.ts';
import type { BackupStoreName } from '../store-files.ts';
import { encodeText } from './session.ts';

const cursor = 'vp_copied_rows';
/** Rows can be large, so their size is learned with a small batch first. */
const firstBatchRows = 50;

const quote = (name: string): string => `"${name}"`;

function toJsonValue(value: CopiedValue | undefined): unknown {
  if (typeof value === 'string') return encodeText(value);
  return value instanceof Uint8Array
    ? `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`
    : value;
}

/** `client` must have the parsers of `createSessionOptions`. */
export function createPostgresTables(client: ClientBase, store: BackupStoreName): TableReader & TableWriter {
  const qualify = ({ name }: Pick<CopiedTable, 'name'>): string => `vp_${store}.${quote(name)}`;
  return {
    async countRows(table) {
      const { rows } = await client.query<{ count: number }>(`SELECT count(*) AS count FROM ${qualify(table)}`);
      return rows[0]?.count ?? 0;
    },
    async *readRows(table) {
      const order = table.key.length === 0 ? '' : ` ORDER BY ${table.key.map(quote).join(', ')}`;
      const columns = table.columns.map(quote).join(', ');
      await client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${columns} FROM ${qualify(table)}${order}`);
      for (let limit = firstBatchRows; ; ) {
        const text = `FETCH ${limit} FROM ${cursor}`;
        const { rows } = await client.query<CopiedValue[]>({ text, rowMode: 'array' });
        if (rows.length > 0) yield rows;
        if (rows.length < limit) break;
        const bytes = rows.reduce((sum, row) => sum + estimateBytes(row), 0);
        limit = Math.max(1, Math.min(maxBatchRows, limit * 4, Math.floor((maxBatchBytes * rows.length) / bytes)));
      }
      await client.query(`CLOSE ${cursor}`);
    },
    async clear(table) {
      await client.query(`DELETE FROM ${qualify(table)}`);
    },
    async writeRows(table, rows) {
      await client.query(buildInsert(qualify(table), table), [toJson(table, rows)]);
    },
  };
}

/** One parameter for any number of rows; the server takes it apart by the types of the columns. */
function buildInsert(qualifiedName: string, { columns }: CopiedTable): string {
  const names = columns.map(quote).join(', ');
  return `INSERT INTO ${qualifiedName} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${qualifiedName}, $1)`;
}

function toJson({ columns }: CopiedTable, rows: readonly CopiedRow[]): string {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map((column, index) => [column, toJsonValue(row[index])])),
  );
  return JSON.stringify(objects);
}
