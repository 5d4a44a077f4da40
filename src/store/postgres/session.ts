/**
 * Statements on a connection. They are pipelined: each is sent at once, and the server answers them in order. What is sent in
 * the same turn travels in one packet.
 */
import type { ClientConfig, CustomTypesConfig } from 'pg';
import type { BackupStoreName } from '../store-files.ts';
import { readSessionText } from './begin.ts';
import type { PostgresConnection } from './connect.ts';
import type { Statement } from './operation.ts';
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

type Session = Pick<PostgresConnection, 'client' | 'server'>;

const corked = new WeakSet<PostgresConnection['client']>();

function sendTogether({ client }: Session): void {
  if (corked.has(client)) return;
  const { stream } = client.connection;
  corked.add(client);
  stream.cork();
  setImmediate(() => {
    corked.delete(client);
    stream.uncork();
  });
}

/** The store whose tables the names of a connection mean. */
const storeOfSession = new WeakMap<PostgresConnection['client'], BackupStoreName>();

/**
 * Gives the session the settings of `store`, outside of transactions. The answer is not waited for: statements come behind it.
 * A session that a pooler shares is left as it is.
 */
export function enterStore(session: Session, store: BackupStoreName): void {
  const { client, server } = session;
  sendTogether(session);
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

/** Sends one statement of an operation. The server keeps it prepared, unless a pooler gives each transaction another server connection. */
export async function sendStatement(
  session: Session,
  store: BackupStoreName,
  { kind, text, values }: Statement,
): Promise<unknown> {
  const { client, server } = session;
  sendTogether(session);
  const prepared = prepare(kind === 'insert' ? `${text} RETURNING id` : text);
  const isKept = !server.isPooled && prepared.name !== undefined;
  const result = await client.query<Record<string, unknown>>({
    // The same text means other tables in another store.
    ...(isKept ? { name: `${store}_${prepared.name}` } : {}),
    text: prepared.text,
    values: values.map((value) => (typeof value === 'string' ? encodeText(value) : value)),
  });
  if (kind === 'get') return result.rows[0];
  if (kind === 'all') return result.rows;
  if (kind === 'insert') return result.rows[0]?.id;
  return result.rowCount ?? 0;
}
