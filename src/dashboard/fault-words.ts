/** Why a call got no answer, in few words: the code of the system's error where there is one. */
export function faultWords(error: unknown, limitMs: number): string {
  if (!(error instanceof Error)) return 'the connection failed';
  if (error.name === 'TimeoutError') return `no answer in ${limitMs / 1000} s`;
  const inner = error.cause instanceof Error ? error.cause : error;
  return ('code' in inner && typeof inner.code === 'string' ? inner.code : inner.message).slice(0, 200);
}
