/**
 * Lists without the entries that are none. The official client of the newest era refuses a whole list for one of them, so that
 * one tool would hide all others of its server; they are taken out before it looks.
 */
import {
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  isSpecType,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { withHearing } from './hearing.ts';

/** Where a sifted list says what was taken out. */
const siftedKey = 'vp/left_out';
/** A larger entry is left out: a definition of that size is an attack or a mistake. */
const mostEntryChars = 131_072;

type Kind = { readonly member: string; readonly is: (value: unknown) => boolean };

const kinds: Readonly<Record<string, Kind>> = {
  'tools/list': { member: 'tools', is: isSpecType.Tool },
  'prompts/list': { member: 'prompts', is: isSpecType.Prompt },
  'resources/list': { member: 'resources', is: isSpecType.Resource },
  'resources/templates/list': { member: 'resourceTemplates', is: isSpecType.ResourceTemplate },
};

/** What was taken out of a list: how many, and the names of some that have one. */
export type LeftOut = { readonly count: number; readonly names: readonly string[] };

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isKept({ is }: Kind, entry: unknown): boolean {
  return (JSON.stringify(entry)?.length ?? 0) <= mostEntryChars && is(entry);
}

function nameOf(entry: unknown): string[] {
  const name = isMembers(entry) ? entry.name : undefined;
  return typeof name === 'string' && /^[\w.-]{1,64}$/.test(name) ? [name] : [];
}

function sifted(result: Record<string, unknown>, kind: Kind): Record<string, unknown> {
  const entries = result[kind.member];
  if (!Array.isArray(entries)) return result;
  const bad = entries.filter((entry) => !isKept(kind, entry));
  if (bad.length === 0) return result;
  const left: LeftOut = { count: bad.length, names: bad.flatMap(nameOf).slice(0, 3) };
  const meta = isMembers(result._meta) ? result._meta : {};
  const kept = entries.filter((entry) => !bad.includes(entry));
  return { ...result, [kind.member]: kept, _meta: { ...meta, [siftedKey]: left } };
}

/** What was taken out of a list's result. */
export function leftOutOf({ _meta: meta }: Readonly<Record<string, unknown>>): LeftOut {
  const left = isMembers(meta) ? meta[siftedKey] : undefined;
  const { count, names } = isMembers(left) ? left : {};
  return {
    count: typeof count === 'number' ? count : 0,
    names: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [],
  };
}

/** The same transport, whose lists are sifted as they come in. */
export function withSiftedLists<T extends Transport>(transport: T): T {
  const asked = new Map<string | number, Kind>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const kind = isJSONRPCRequest(message) ? kinds[message.method] : undefined;
    if (kind && 'id' in message && message.id !== undefined) asked.set(message.id, kind);
    return send(message, options);
  };
  return withHearing(transport, (message, hear) => hear(siftedMessage(message, asked)));
}

function siftedMessage(message: JSONRPCMessage, asked: Map<string | number, Kind>): JSONRPCMessage {
  if (!('id' in message) || message.id === undefined || asked.size === 0) return message;
  const kind = 'method' in message ? undefined : asked.get(message.id);
  if (!kind) return message;
  asked.delete(message.id);
  return isJSONRPCResultResponse(message) ? { ...message, result: sifted(message.result, kind) } : message;
}
