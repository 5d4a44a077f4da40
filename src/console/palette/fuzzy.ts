/** How well words fit what is typed: letters in their order, better side by side and at the beginning of words. */

const isStart = (text: string, at: number): boolean => at === 0 || /[\s\-_./:]/.test(text[at - 1] ?? '');

/** Higher is better; undefined where a letter is missing. Everything fits nothing. */
export function fitness(typed: string, text: string): number | undefined {
  const letters = typed.toLowerCase().replaceAll(/\s+/g, '');
  const among = text.toLowerCase();
  const whole = among.indexOf(typed.trim().toLowerCase());
  if (letters !== '' && whole >= 0) return 1000 + (isStart(among, whole) ? 100 : 0) - whole - among.length / 100;
  let score = 0;
  let at = -1;
  for (const letter of letters) {
    const next = among.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    score += (next === at + 1 ? 5 : 0) + (isStart(among, next) ? 8 : 0) - (next - at - 1) / 10;
    at = next;
  }
  return score - among.length / 100;
}

/** Those that fit, the best first; those that fit alike stay as they were. */
export function fitting<T>(typed: string, all: readonly T[], textOf: (one: T) => string, most: number): T[] {
  const scored = all.flatMap((one) => {
    const score = fitness(typed, textOf(one));
    return score === undefined ? [] : [{ one, score }];
  });
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ one }) => one);
}
