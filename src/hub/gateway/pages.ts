/** Pages of a list, in an order that does not depend on when it is asked for. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** A page, and where the next one begins. */
export type Page<T> = { readonly items: readonly T[]; readonly nextCursor?: string };

/** Entries of a page. */
export const pageSize = 1000;

/** By code units, so that it is the same everywhere. */
export function byKey<T>(keyOf: (item: T) => string): (one: T, other: T) => number {
  return (one, other) => {
    const [left, right] = [keyOf(one), keyOf(other)];
    return left < right ? -1 : Number(left > right);
  };
}

/** The page after `cursor` of items that are sorted by key. Throws InvalidParams for a cursor that is none. */
export function pageOf<T>(items: readonly T[], cursor: string | undefined, keyOf: (item: T) => string): Page<T> {
  const after = cursor === undefined ? undefined : keyOfCursor(cursor);
  const from = after === undefined ? 0 : items.findIndex((item) => keyOf(item) > after);
  if (from < 0) return { items: [] };
  const page = items.slice(from, from + pageSize);
  const last = page.at(-1);
  if (last === undefined || from + pageSize >= items.length) return { items: page };
  return { items: page, nextCursor: Buffer.from(`k${keyOf(last)}`).toString('base64url') };
}

function keyOfCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (text.startsWith('k')) return text.slice(1);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the cursor is not one of this server');
}
