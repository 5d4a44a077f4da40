/** Longer ids are replaced. */
export const maxRequestIdLength = 128;

/**
 * The id to log for a request: the received one, or a generated one if it is missing or not 1 to 128 visible ASCII characters.
 * An id is written into the log and into a response header, so it must not break either.
 */
export function getRequestId(received: string | undefined, newId: () => string): string {
  const usable = received !== undefined && received.length <= maxRequestIdLength && /^[\x21-\x7e]+$/.test(received);
  return usable ? received : newId();
}
