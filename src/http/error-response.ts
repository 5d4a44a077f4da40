import { toVpError, vpError } from '../errors/vp-error.ts';
import type { ListenerLog } from './log.ts';
import { createProblemResponse } from './problem.ts';

/** What the response for an error depends on, and what the log says about its request. */
export type FailedRequest = {
  readonly requestId: string | undefined;
  readonly closing: AbortSignal | undefined;
  readonly method: string;
  readonly path: string;
  /** The caller has disconnected. */
  readonly hasLeft: boolean;
};

/** The problem response for an error of a handler; private details are logged. */
export function createErrorResponse(log: ListenerLog, context: FailedRequest, thrown: unknown): Response {
  const { requestId, closing, method, path, hasLeft } = context;
  // This status is only counted.
  if (hasLeft) return new Response(null, { status: 499 });
  if (closing?.aborted && isAbort(thrown)) return createProblemResponse(vpError('SHUTTING_DOWN', {}));
  const error = toVpError(thrown);
  if (error.row.status >= 500 && error.code !== 'SHUTTING_DOWN') {
    const fields = { code: error.code, request_id: requestId, detail: error.detail, err: error.cause };
    log.error({ ...fields, method, path }, error.message);
  }
  return createProblemResponse(error);
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError';
}
