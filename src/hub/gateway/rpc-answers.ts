/** Answers that the gateway gives by itself, before any server is asked. */
import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';

/** What is looked at of a body before the SDK reads it. */
export type Asked = {
  readonly method: string;
  readonly id: string | number | null;
  readonly params: Readonly<Record<string, unknown>>;
};

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The method, id and params of a JSON-RPC message; empty ones where it is none. */
export function askedOf(body: unknown): Asked {
  if (!isMembers(body)) return { method: '', id: null, params: {} };
  const { method, id, params } = body;
  return {
    method: typeof method === 'string' ? method : '',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    params: isMembers(params) ? params : {},
  };
}

/** True where the message carries the revision that it speaks, as those of the newest era do. */
export function namesRevision(body: unknown): boolean {
  const { _meta: meta } = askedOf(body).params;
  return isMembers(meta) && typeof meta[PROTOCOL_VERSION_META_KEY] === 'string';
}

const headerMismatchCode = -32020;

/** A header and the body name different things (400). */
export function headerMismatch(header: string, id: Asked['id']): Response {
  const message = `Bad Request: the request headers and body disagree: ${header}`;
  const error = { code: headerMismatchCode, message, data: { mismatch: { header } } };
  return Response.json({ jsonrpc: '2.0', id, error }, { status: 400 });
}

/** GET and DELETE are for sessions only. */
export function methodRefused(): Response {
  const error = { code: -32000, message: 'Method not allowed.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 405, headers: { Allow: 'POST' } });
}
