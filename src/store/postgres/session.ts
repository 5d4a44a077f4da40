/**
 * Statements on a connection. They are pipelined: none waits for the one before it, and the server answers them in order. Those of the
 * same turn travel together (pipelined-client.ts).
 */
import type { ClientConfig, CustomTypesConfig } from 'pg';
import type { SqlValue } from '../sql.ts';
import type { BackupStoreName } from '../store-files.ts';
import { readSessionText } from './begin.ts';
import type { PostgresConnection } from './connect.ts';
import type { StatementValue } from './message-writer.ts';
import type { Statement } from './operation.ts';
import type { PreparedStatement, StatementResult } from './statement-batch.ts';
import { translateStatement } from './translate.ts';

/**
 * PostgreSQL's texts cannot hold the character NUL, and those of users do: bodies of responses, search words. It is stored as a
 * character that Unicode will never assign, with a digit behind it; that character itself as well.
 */
const marker = '\u{10FFFE}';

export function encodeText(text: string): string {
  if (!text.includes('\0') && !text.includes(marker)) return text;
  return text.replaceAll(marker, `${marker}1`).replaceAll('\0', `${marker}0`);
}

function decodeText(text: string): string {
  if (!text.includes(marker)) return text;
  return text.replaceAll(`${marker}0`, '\0').replaceAll(`${marker}1`, marker);
}

const toNumber = (text: string): number => Number(text);

/** By the type's object id: every number is a number, truth is 0 or 1 and JSON is text, as on SQLite. */
const parsers = new Map<number, (text: string) => unknown>([
  [16, (text) => (text === 't' ? 1 : 0)],
  [20, toNumber],
  [23, toNumber],
  [25, decodeText],
  [114, (text) => text],
  [700, toNumber],
  [701, toNumber],
  [1700, toNumber],
]);

/** Longer than a statement may run on the server (begin.ts): a connection whose packets vanish is given up. */
export const answerMs = 10_000;

/** How connections of a store differ from the driver's defaults; `driverTypes` are its parsers. */
export function createSessionOptions(driverTypes: CustomTypesConfig): ClientConfig & { readonly pipeline: true } {
  const types: CustomTypesConfig = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      (format === 'binary' ? undefined : parsers.get(oid)) ?? driverTypes.getTypeParser(oid, format),
  };
  return { types, pipeline: true, query_timeout: answerMs };
}

export type StoreSession = Pick<PostgresConnection, 'client' | 'server'>;

/** The store whose tables the names of a connection mean. */
const storeOfSession = new WeakMap<PostgresConnection['client'], BackupStoreName>();

/**
 * Begins a use of the session, apart from what others have sent on it: gives it the settings of `store`, outside of transactions. The
 * answer is not waited for: statements come behind it. A session that a pooler shares is left as it is.
 */
export function enterStore({ client, server }: StoreSession, store: BackupStoreName): void {
  client.separate();
  if (server.isPooled || storeOfSession.get(client) === store) return;
  storeOfSession.set(client, store);
  client.query(readSessionText(store)).catch(() => storeOfSession.delete(client));
}

/** Without a name, a statement is not kept prepared. */
type Prepared = { readonly name?: string; readonly text: string };

const translations = new Map<string, Prepared>();
/** Texts with values of their own (a list of any length) must not fill the server with prepared statements. */
const maxPrepared = 2_000;

function prepare(text: string): Prepared {
  const known = translations.get(text);
  if (known) return known;
  if (translations.size >= maxPrepared) return { text: translateStatement(text) };
  const prepared = { name: `vp${translations.size}`, text: translateStatement(text) };
  translations.set(text, prepared);
  return prepared;
}

function toStatementValue(value: SqlValue): StatementValue {
  if (typeof value === 'string') return encodeText(value);
  if (value === null) return null;
  return value instanceof Uint8Array ? Buffer.from(value) : String(value);
}

/** Sends one statement of an operation. The server keeps it prepared, unless a pooler gives each transaction another server connection. */
export async function sendStatement(
  { client, server }: StoreSession,
  store: BackupStoreName,
  { kind, text, values }: Statement,
): Promise<unknown> {
  const prepared = prepare(kind === 'insert' ? `${text} RETURNING id` : text);
  const isKept = !server.isPooled && prepared.name !== undefined;
  const { rows, rowCount } = await client.execute({
    // The same text means other tables in another store.
    name: isKept ? `${store}_${prepared.name}` : undefined,
    text: prepared.text,
    values: values.map(toStatementValue),
  });
  if (kind === 'get') return rows[0];
  if (kind === 'all') return rows;
  if (kind === 'insert') return rows[0]?.id;
  return rowCount;
}

/** Sends a statement of the transaction itself. `text` stands for `name`. */
export function sendFixed(
  { client, server }: StoreSession,
  statement: Omit<PreparedStatement, 'name'> & { readonly name: string },
): Promise<StatementResult> {
  return client.execute(server.isPooled ? { ...statement, name: undefined } : statement);
}
