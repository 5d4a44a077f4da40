/** What a client saw directly and through a hub, compared apart from the documented differences. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isRawNumber } from './exact-text.ts';

const maxOperationMs = 60_000;

/** A call that never ends is a difference too. */
export async function endWithin(operation: Promise<unknown>): Promise<unknown> {
  const timer = new AbortController();
  const late = sleep(maxOperationMs, 'it has not ended', { signal: timer.signal });
  late.catch(() => {});
  try {
    return await Promise.race([operation, late]);
  } finally {
    timer.abort();
  }
}

const ownMembers: readonly string[] = [
  'resultType',
  'ttlMs',
  'cacheScope',
  'io.modelcontextprotocol/serverInfo',
  'io.modelcontextprotocol/subscriptionId',
];

/** Without the documented differences: the prefixes of the connection, what else the hub lists, orders, and what a revision adds. */
export function toComparable(seen: unknown, connection: string | undefined): string {
  const text = JSON.stringify(sortMembers(seen, connection ?? ''));
  return connection === undefined ? text : text.replaceAll(`hub.${connection}+`, '').replaceAll(`${connection}__`, '');
}

function sortMembers(value: unknown, connection: string): unknown {
  if (Array.isArray(value)) return value.map((item) => sortMembers(item, connection));
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  const members = Object.entries(value)
    .filter(([name]) => !ownMembers.includes(name))
    .map(([name, member]) => [name, name === 'items' ? sortItems(member, connection) : sortMembers(member, connection)])
    .filter(([name, member]) => name !== '_meta' || Object.keys(Object(member)).length > 0);
  return Object.fromEntries(members.sort(([first], [second]) => (String(first) < String(second) ? -1 : 1)));
}

function sortItems(items: unknown, connection: string): unknown {
  if (!Array.isArray(items)) return items;
  const getName = (item: unknown): string => String(Object(item).uri ?? Object(item).uriTemplate ?? Object(item).name);
  const ofServer = items.filter((item) => getName(item).includes(connection));
  return ofServer
    .sort((first, second) => (getName(first) < getName(second) ? -1 : 1))
    .map((item) => sortMembers(item, connection));
}

export function describeDifference(step: unknown, expected: string, actual: string): string {
  const start = Array.from({ length: expected.length }, (_unused, index) => index).findIndex(
    (index) => expected[index] !== actual[index],
  );
  const cut = (text: string): string => text.slice(Math.max(0, start - 200), start + 400);
  return `directly …${cut(expected)}…\nthe hub  …${cut(actual)}…\nafter ${JSON.stringify(step)}`;
}
