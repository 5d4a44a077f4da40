/** Pages of a list whose order does not depend on the time of the request. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

export type CursorPage<T> = { readonly items: readonly T[]; readonly nextCursor?: string };

const pageSize = 1000;

/** Compares code units, so that the order is the same everywhere. */
export function compareByKey<T>(getKey: (item: T) => string): (first: T, second: T) => number {
  return (first, second) => {
    const [left, right] = [getKey(first), getKey(second)];
    return left < right ? -1 : Number(left > right);
  };
}

/** The page after `cursor` of items sorted by key. Throws InvalidParams for an invalid cursor. */
export function getCursorPage<T>(
  items: readonly T[],
  cursor: string | undefined,
  getKey: (item: T) => string,
): CursorPage<T> {
  const afterKey = cursor === undefined ? undefined : parseCursor(cursor);
  const startIndex = afterKey === undefined ? 0 : items.findIndex((item) => getKey(item) > afterKey);
  if (startIndex < 0) return { items: [] };
  const page = items.slice(startIndex, startIndex + pageSize);
  const last = page.at(-1);
  if (last === undefined || startIndex + pageSize >= items.length) return { items: page };
  return { items: page, nextCursor: Buffer.from(`k${getKey(last)}`).toString('base64url') };
}

function parseCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (text.startsWith('k')) return text.slice(1);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the cursor is not valid for this list');
}
