/** Errors of a scripted server, and what it repeats of a request. */
import type { JsonObject } from './script.ts';

export class RpcError extends Error {
  readonly error: JsonObject;

  constructor(error: JsonObject) {
    super(String(error.message));
    this.error = error;
  }
}

const metaPrefix = 'io.modelcontextprotocol/';

/** Without what the protocol and a hub add. */
export function pickForeign(meta: JsonObject): JsonObject {
  const entries = Object.entries(meta).filter(
    ([name]) => !name.startsWith(metaPrefix) && !name.startsWith('vp/') && name !== 'progressToken',
  );
  return Object.fromEntries(entries);
}
