/**
 * Whether a pattern of error levels can match levels of a log at all. `error_match: 40|50|60` finds no error in a log that
 * writes `ERROR`, and a check that counts errors would pass for ever.
 */
import type { Pattern } from '../../pattern/pattern.ts';

/** How a level is written; a pattern for one kind says nothing about another. */
export type LevelKind = 'number' | 'lowercase' | 'uppercase' | 'capitalized' | 'letter' | 'other';

const kindPatterns: readonly (readonly [LevelKind, RegExp])[] = [
  ['number', /^-?\d+(\.\d+)?$/],
  ['letter', /^[A-Za-z]$/],
  ['lowercase', /^[a-z]+$/],
  ['uppercase', /^[A-Z]+$/],
  ['capitalized', /^[A-Z][a-z]+$/],
];

function classifyLevel(level: string): LevelKind {
  return kindPatterns.find(([, pattern]) => pattern.test(level))?.[0] ?? 'other';
}

/** The levels of common loggers that someone may call errors. */
const words = [
  'error err errors fatal critical crit alert emerg emergency panic dpanic severe fault failure fail',
  'warn warning exception catastrophic disaster serious major',
].flatMap((line) => line.split(' '));
const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
/** 0 to 1000 covers pino, syslog, Python and java.util.logging; the thousands are Logback's and log4js's. */
const numbers = [
  ...Array.from({ length: 1001 }, (_, level) => String(level)),
  ...Array.from({ length: 100 }, (_, level) => String((level + 1) * 1000)),
];
const samples: Readonly<Record<Exclude<LevelKind, 'other'>, readonly string[]>> = {
  number: numbers,
  letter: [...'EFCAWPSefcawps'],
  lowercase: words,
  uppercase: words.map((word) => word.toUpperCase()),
  capitalized: words.map(capitalize),
};

const kindsByPattern = new WeakMap<object, ReadonlySet<LevelKind>>();

/** The kinds of levels that the pattern matches some of. */
function listMatchedKinds(errorMatch: Pick<Pattern, 'test'>): ReadonlySet<LevelKind> {
  const known = kindsByPattern.get(errorMatch);
  if (known) return known;
  const matched = Object.entries(samples).flatMap(([kind, levels]) =>
    levels.some((level) => errorMatch.test(level)) ? kind : [],
  );
  const kinds = new Set(kindPatterns.map(([kind]) => kind).filter((kind) => matched.includes(kind)));
  kindsByPattern.set(errorMatch, kinds);
  return kinds;
}

/**
 * False where the pattern is for levels of another kind. A pattern that matches no known level, such as `ALARM`, is taken
 * at its word.
 */
export function canMatchLevelKind(level: string, errorMatch: Pick<Pattern, 'test'>): boolean {
  if (errorMatch.test(level)) return true;
  const kinds = listMatchedKinds(errorMatch);
  return kinds.size === 0 || kinds.has(classifyLevel(level));
}

const examples: Readonly<Record<LevelKind, string>> = {
  number: '50|60',
  letter: 'E|F',
  lowercase: 'error|fatal',
  uppercase: 'ERROR|FATAL',
  capitalized: 'Error|Fatal',
  other: '.*ERROR.*',
};

/** A pattern for levels that are written like this one. */
export function suggestErrorMatch(level: string): string {
  return examples[classifyLevel(level)];
}
