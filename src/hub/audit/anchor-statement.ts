/**
 * A statement says how far the audit had come at a time. It is written outside of the audit's file, one line of JSON each, so
 * that whoever rewrites the file, even with the master key, contradicts it.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { isObject } from '../../json/json-object.ts';
import type { AuditEnd } from '../../store/audit/chains.ts';
import type { AuditSettings } from './audit-settings.ts';
import type { AnchorKey } from './signing/anchor-key.ts';

const closed = { additionalProperties: false } as const;
const nullable = <const T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });

const ChainStatement = Type.Object(
  {
    hub_id: Type.String(),
    seq: Count,
    mac: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    /** When the entry `seq` was recorded; null if retention had deleted it. */
    at_ms: nullable(Type.Integer()),
    /** Entries up to this one were deleted by retention. */
    before_seq: Count,
    /** Arguments up to this entry were erased by retention. */
    erased_seq: nullable(Count),
  },
  closed,
);

const Statement = Type.Object(
  {
    vp_audit_anchor: Type.Literal(1),
    at_ms: Type.Integer(),
    /** What retention may delete: by age, and by the size of the file. */
    limits: Type.Object({ max_age_ms: Count, arguments_max_age_ms: Count, max_bytes: Count }, closed),
    /** The size of the audit, which says whether retention by size could delete anything. Not in statements of earlier versions. */
    used_bytes: Type.Optional(Count),
    chains: Type.Array(ChainStatement),
    /** Both null without a key. */
    public_key: nullable(Type.String({ maxLength: 100 })),
    signature: nullable(Type.String({ maxLength: 200 })),
    /** A time stamp (RFC 3161) of the statement with its signature, DER in base64. */
    time_stamp: Type.Optional(Type.String({ maxLength: 90_000 })),
    /** The last one before its process ended, which does not wait long for a time stamp. Signed. */
    is_closing: Type.Optional(Type.Literal(true)),
  },
  closed,
);
export type AnchorStatement = Static<typeof Statement>;
export type AnchorChain = Static<typeof ChainStatement>;
export type AnchorLimits = Pick<AuditSettings, 'maxAgeMs' | 'argumentsMaxAgeMs' | 'maxBytes'>;
/** What is stated beside the ends of the chains. */
export type AnchorState = AnchorLimits & { readonly usedBytes?: number };

const statementCheck = TypeCompiler.Compile(Statement);

/** What is signed: the members in a fixed order, whatever the order in the file. */
export function serializeSigned(statement: AnchorStatement): string {
  const { at_ms, limits, chains, public_key, is_closing, used_bytes } = statement;
  const { max_age_ms, arguments_max_age_ms, max_bytes } = limits;
  const chainRows = chains.map(({ hub_id, seq, mac, at_ms: entryAtMs, before_seq, erased_seq }) => [
    ...[hub_id, seq, mac, entryAtMs],
    ...[before_seq, erased_seq],
  ]);
  const closing = is_closing ? ['closing'] : [];
  const size = used_bytes === undefined ? [] : [['used', used_bytes]];
  const limitRow = [max_age_ms, arguments_max_age_ms, max_bytes];
  return JSON.stringify([1, at_ms, ...limitRow, chainRows, public_key, ...size, ...closing]);
}

/** What is time-stamped. The signature is in it, as it is not made again. */
export function serializeStamped(statement: AnchorStatement): string {
  return `vp audit anchor 1\n${serializeSigned(statement)}\n${statement.signature ?? ''}`;
}

/** Throws AUDIT_KEY_UNAVAILABLE. */
export async function createStatement(
  ends: readonly AuditEnd[],
  atMs: number,
  { maxAgeMs, argumentsMaxAgeMs, maxBytes, usedBytes }: AnchorState,
  key: AnchorKey | undefined,
  isClosing = false,
): Promise<AnchorStatement> {
  const unsigned: AnchorStatement = {
    vp_audit_anchor: 1,
    at_ms: atMs,
    limits: { max_age_ms: maxAgeMs, arguments_max_age_ms: argumentsMaxAgeMs, max_bytes: maxBytes },
    ...(usedBytes === undefined ? {} : { used_bytes: usedBytes }),
    chains: ends.map(({ mac, ...end }) => ({ ...end, mac: Buffer.from(mac).toString('hex') })),
    public_key: key?.publicKey ?? null,
    signature: null,
    ...(isClosing ? { is_closing: true } : {}),
  };
  return { ...unsigned, signature: key ? await key.sign(serializeSigned(unsigned)) : null };
}

export type StatementLine = {
  /** From 1. */
  readonly line: number;
  /** Undefined for a line that is no statement. */
  readonly statement: AnchorStatement | undefined;
};

/** The lines of a file of statements, or of a log with statements in `audit_anchor`, whose other lines are left out. */
export function parseStatements(text: string): StatementLine[] {
  return text.split('\n').flatMap((content, index): StatementLine[] => {
    if (content.trim() === '') return [];
    const value = parseJson(content);
    if (isObject(value) && 'level' in value && !('audit_anchor' in value)) return [];
    const candidate = isObject(value) && 'audit_anchor' in value ? value.audit_anchor : value;
    return [{ line: index + 1, statement: statementCheck.Check(candidate) ? candidate : undefined }];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
