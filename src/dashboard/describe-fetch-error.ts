/** Says briefly why a request failed: the code of the system error if there is one. */
export function describeFetchError(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'the connection failed';
  if (error.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} s`;
  const cause = error.cause instanceof Error ? error.cause : error;
  return ('code' in cause && typeof cause.code === 'string' ? cause.code : cause.message).slice(0, 200);
}
