/** Longest `X-Request-Id` that is taken over. */
export const longestRequestId = 128;

/**
 * The id to log for a request: the one received, or a generated one when there is none or it is not 1 to 128 visible
 * ASCII characters. An id goes into the log and back into a header, so nothing that could break either is taken over.
 */
export function requestIdOf(received: string | undefined, newId: () => string): string {
  const usable = received !== undefined && received.length <= longestRequestId && /^[\x21-\x7e]+$/.test(received);
  return usable ? received : newId();
}
