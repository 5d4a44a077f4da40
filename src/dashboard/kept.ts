import type { Clock } from '../environment/clock.ts';

/** Answers by their question. */
export type Kept<T> = (key: string, ask: () => Promise<T>) => Promise<T>;

/** Gives an answer again for `keptMs`, to everybody who asks the same meanwhile; what failed is asked anew. */
export function keptFor<T>(keptMs: number, clock: Pick<Clock, 'monotonicMs'>): Kept<T> {
  const answers = new Map<string, { readonly untilMs: number; readonly answer: Promise<T> }>();
  return (key: string, ask: () => Promise<T>): Promise<T> => {
    const nowMs = clock.monotonicMs();
    for (const [name, { untilMs }] of answers) if (untilMs <= nowMs) answers.delete(name);
    const known = answers.get(key);
    if (known) return known.answer;
    const answer = ask();
    answers.set(key, { untilMs: nowMs + keptMs, answer });
    answer.catch(() => answers.delete(key));
    return answer;
  };
}
