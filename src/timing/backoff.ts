import type { Random } from '../environment/random.ts';

export type BackoffRange = { readonly initialMs: number; readonly maxMs: number };

/**
 * The delay before attempt number `attempt` + 2: it doubles from `initialMs` to `maxMs`. Half of it is random, so that many
 * clients do not return at the same moment; without `random` it is the full delay.
 */
export function calculateBackoffMs(
  { initialMs, maxMs }: BackoffRange,
  attempt: number,
  random?: Pick<Random, 'bytes'>,
): number {
  const fullMs = Math.min(maxMs, initialMs * 2 ** Math.min(attempt, 30));
  const share = random ? (random.bytes(1)[0] ?? 0) / 255 : 1;
  return fullMs * (0.5 + share / 2);
}
