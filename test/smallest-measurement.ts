/**
 * Measures until the result is at most `bound`, three times at most, and returns the smallest. For memory and processor time with a
 * bound: a collection of garbage that comes late, and other work of the machine, add to one measurement, while what takes too much
 * does so every time.
 */
export async function measureSmallest(bound: number, measure: () => number | Promise<number>): Promise<number> {
  let smallest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < maxAttempts && smallest > bound; attempt += 1)
    smallest = Math.min(smallest, await measure());
  return smallest;
}

const maxAttempts = 3;
