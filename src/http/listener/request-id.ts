import type { Random } from '../../environment/random.ts';

/**
 * The id of each request: the caller's `X-Request-Id` if it is harmless, else an id that is unique among the processes of
 * a log (random prefix and a counter).
 */
export function createRequestIds(
  random: Pick<Random, 'token'>,
): (requestedId: string | string[] | undefined) => string {
  const prefix = random.token(6);
  let count = 0;
  return (requestedId) => {
    if (typeof requestedId === 'string' && /^[\w.:-]{1,64}$/.test(requestedId)) return requestedId;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
