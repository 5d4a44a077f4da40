/** Looks at JSON-RPC requests before they are validated. */

import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { isObject } from '../../json/json-object.ts';

export type RpcRequest = {
  readonly method: string;
  readonly id: string | number | null;
  readonly params: Readonly<Record<string, unknown>>;
};

/** The members of a JSON-RPC message; empty ones for anything else. */
export function parseRpcRequest(body: unknown): RpcRequest {
  if (!isObject(body)) return { method: '', id: null, params: {} };
  const { method, id, params } = body;
  return {
    method: typeof method === 'string' ? method : '',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    params: isObject(params) ? params : {},
  };
}

/** True if the message carries its protocol version, as those of the newest era do. */
export function hasProtocolVersion(body: unknown): boolean {
  const { _meta: meta } = parseRpcRequest(body).params;
  return isObject(meta) && typeof meta[PROTOCOL_VERSION_META_KEY] === 'string';
}
