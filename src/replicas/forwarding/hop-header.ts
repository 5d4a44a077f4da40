/**
 * The header of a request that a replica forwards: at which connection the caller's request arrived, signed with a key that
 * only replicas have. Without it a caller could choose the address by which it is limited and logged.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

export const hopHeaderName = 'vp-replica-hop';

/** A request may pass this many replicas: the active one may change while it is on its way. */
export const maxHops = 3;

const HopShape = Type.Object(
  {
    from: Type.String({ maxLength: 100 }),
    to: Type.String({ maxLength: 100 }),
    /** By the clock of the database. */
    sentMs: Type.Number(),
    hops: Type.Integer({ minimum: 1, maximum: 100 }),
    remoteAddress: Type.Optional(Type.String({ maxLength: 100 })),
    localAddress: Type.Optional(Type.String({ maxLength: 100 })),
    localPort: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  },
  { additionalProperties: false },
);
export type Hop = Static<typeof HopShape>;

const hopChecker = TypeCompiler.Compile(HopShape);

export type HopKey = Uint8Array;
type RequestTarget = { readonly method?: string | undefined; readonly url?: string | undefined };

function sign(key: HopKey, content: string, { method = '', url = '' }: RequestTarget): Buffer {
  return createHmac('sha256', key).update(`${method} ${url}\n${content}`).digest();
}

export function formatHop(key: HopKey, hop: Hop, target: RequestTarget): string {
  const content = Buffer.from(JSON.stringify(hop)).toString('base64url');
  return `v1.${content}.${sign(key, content, target).toString('base64url')}`;
}

/** What a hop must be to be believed. */
export type HopExpectation = { readonly to: string; readonly nowMs: number; readonly maxAgeMs: number };

/**
 * Undefined unless a replica with the same key has signed it, for this request and this replica. `expired`: it was signed long
 * ago, so whoever sent it waits for no answer any more.
 */
export function parseHop(
  key: HopKey,
  header: string | readonly string[] | undefined,
  target: RequestTarget,
  expected: HopExpectation,
): Hop | 'expired' | undefined {
  const [, content, signature] = typeof header === 'string' ? (/^v1\.([\w-]+)\.([\w-]+)$/.exec(header) ?? []) : [];
  if (content === undefined || signature === undefined) return undefined;
  const given = Buffer.from(signature, 'base64url');
  const right = sign(key, content, target);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  const hop = parseContent(content);
  if (hop?.to !== expected.to) return undefined;
  return Math.abs(expected.nowMs - hop.sentMs) <= expected.maxAgeMs ? hop : 'expired';
}

function parseContent(content: string): Hop | undefined {
  const value: unknown = JSON.parse(Buffer.from(content, 'base64url').toString());
  return hopChecker.Check(value) ? value : undefined;
}
