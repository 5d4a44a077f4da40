import type { Random } from '../environment/random.ts';

/**
 * Gives the id of each request: the caller's own `X-Request-Id` where it is harmless, else one that is unique among the
 * processes of a log (random beginning, then a count).
 */
export function requestIds(random: Pick<Random, 'token'>): (sent: string | string[] | undefined) => string {
  const beginning = random.token(6);
  let count = 0;
  return (sent) => {
    if (typeof sent === 'string' && /^[\w.:-]{1,64}$/.test(sent)) return sent;
    count += 1;
    return `${beginning}-${count.toString(36)}`;
  };
}
