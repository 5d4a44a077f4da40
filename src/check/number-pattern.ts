/** Patterns that do what a comparison with a whole number does, for values that are whole numbers from 0 up. */

function digit(from: number, to: number): string {
  if (from === to) return String(from);
  return from + 1 === to ? `[${from}${to}]` : `[${from}-${to}]`;
}

function digits(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '[0-9]' : `[0-9]{${count}}`;
}

/** Numbers with as many digits as `bound`, and a greater (or lesser) digit at `place` after an equal beginning. */
function differingAt(bound: string, place: number, from: number, to: number): readonly string[] {
  if (from > to) return [];
  return [`${bound.slice(0, place)}${digit(from, to)}${digits(bound.length - place - 1)}`];
}

function anchored(alternatives: readonly string[]): string {
  return alternatives.length === 1 ? `^${alternatives[0]}$` : `^(${alternatives.join('|')})$`;
}

/** Matches the whole numbers from `least` (0 or more) up, and nothing else. */
export function patternAtLeast(least: number): string {
  if (least === 0) return '^[0-9]+$';
  const bound = String(least);
  if (/^10*$/.test(bound)) {
    const zeros = bound.length - 1;
    return zeros < 2 ? `^[1-9][0-9]${zeros === 0 ? '*' : '+'}$` : `^[1-9][0-9]{${zeros},}$`;
  }
  const last = bound.length - 1;
  const same = [...bound].flatMap((sign, place) =>
    differingAt(bound, place, place === last ? Number(sign) : Number(sign) + 1, 9),
  );
  return anchored([...same.reverse(), `[1-9][0-9]{${bound.length},}`]);
}

/** Matches the whole numbers from 0 up to `most`, and nothing else. */
export function patternAtMost(most: number): string {
  const bound = String(most);
  const last = bound.length - 1;
  const shorter = Array.from({ length: last }, (_, count) => (count === 0 ? '[0-9]' : `[1-9]${digits(count)}`));
  const same = [...bound].flatMap((sign, place) =>
    differingAt(bound, place, place === 0 && last > 0 ? 1 : 0, place === last ? Number(sign) : Number(sign) - 1),
  );
  return anchored([...shorter, ...same]);
}
