/** Numbers out of repetitions: taken in turns, so that what disturbs the machine disturbs everything that is compared. */

/** One thing that is measured again and again. */
export type Series<T> = { readonly samples: readonly T[]; take(): Promise<void>; forget(): void };

/** A series with no sample yet. */
export function series<T>(measure: () => Promise<T>): Series<T> {
  const samples: T[] = [];
  return {
    samples,
    async take() {
      samples.push(await measure());
    },
    forget() {
      samples.length = 0;
    },
  };
}

/** Takes a sample of each in turn (A B C A B C …), `rounds` times after `warmUps` that are forgotten. */
export async function inTurns(rounds: number, all: readonly Series<unknown>[], warmUps = 0): Promise<void> {
  for (let round = -warmUps; round < rounds; round += 1) {
    if (round === 0) for (const item of all) item.forget();
    for (const item of all) await item.take();
  }
}

/** Milliseconds of one call. */
export async function timed(action: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await action();
  return performance.now() - startMs;
}

/** The sample below which `share` (0 to 1) of all lie. Throws when there are none. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const sample = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  if (sample === undefined) throw new Error('nothing was measured');
  return sample;
}

/** The middle sample. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

const attemptMs = 50;

/** Asks until the answer is true; throws after 30 s. */
export async function repeatUntil(isDone: () => Promise<boolean>): Promise<void> {
  const limitMs = performance.now() + 30_000;
  while (!(await isDone())) {
    if (performance.now() > limitMs) throw new Error('what is waited for has not happened within 30 s');
    await new Promise((resolve) => setTimeout(resolve, attemptMs));
  }
}
