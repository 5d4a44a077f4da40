/**
 * Statements are written in SQLite's dialect, and in standard SQL where both agree. This table has what differs; all of it is
 * about words, not about meaning, so that one suite of tests holds on both engines.
 */

/** In the order of their application. A text is translated once. */
const replacements: readonly (readonly [RegExp, string])[] = [
  // PostgreSQL chooses its index itself.
  [/\s+INDEXED BY \w+/g, ''],
  [/^\s*INSERT OR IGNORE INTO ([\s\S]*)$/, 'INSERT INTO $1 ON CONFLICT DO NOTHING'],
  [/ IS NOT \?/g, ' IS DISTINCT FROM ?'],
  [/ IS \?/g, ' IS NOT DISTINCT FROM ?'],
  // Letters of ASCII only, in both.
  [/([\w.]+) COLLATE NOCASE/g, 'lower($1)'],
  [/\bjson_group_array\(/g, 'json_agg('],
  // In SQLite it fixes the order of a join.
  [/\bCROSS JOIN (\w+ \w+) ON\b/g, 'JOIN $1 ON'],
  [/ AS INTEGER\)/g, ' AS BIGINT)'],
  [/\bSELECT \? UNION\b/g, 'SELECT CAST(? AS text) COLLATE "C" UNION'],
  [/\blast_insert_rowid\(\)/g, 'lastval()'],
  [/\bhex\(randomblob\(\?\)\)/g, "repeat('0', 2 * ?::integer)"],
];

const aggregatesWithScalarForm = /\b(max|min)\(/g;

/** The arguments of the call whose opening parenthesis stands before `start`, and where the call ends. */
function splitArguments(text: string, start: number): { readonly parts: readonly string[]; readonly end: number } {
  const parts: string[] = [];
  let depth = 0;
  let partStart = start;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (character === '(') depth += 1;
    if (character === ',' && depth === 0) {
      parts.push(text.slice(partStart, index).trim());
      partStart = index + 1;
    }
    if (character === ')') {
      if (depth === 0) return { parts: [...parts, text.slice(partStart, index).trim()], end: index + 1 };
      depth -= 1;
    }
  }
  return { parts: [text.slice(start)], end: text.length };
}

/**
 * `max(a, b)` of SQLite is null when one of them is, unlike `greatest`. `int8larger`, of which PostgreSQL makes its aggregate, is so too. A
 * function of our own in SQL would be parsed and started anew in each statement, because it is strict.
 */
function translateScalarExtremes(text: string): string {
  let result = '';
  let position = 0;
  for (const match of text.matchAll(aggregatesWithScalarForm)) {
    if (match.index < position) continue;
    const start = match.index + match[0].length;
    const { parts, end } = splitArguments(text, start);
    if (parts.length < 2) continue;
    const name = match[1] === 'max' ? 'int8larger' : 'int8smaller';
    const nested = parts.map(translateScalarExtremes).reduceRight((rest, part) => `${name}(${part}, ${rest})`);
    result += text.slice(position, match.index) + nested;
    position = end;
  }
  return result + text.slice(position);
}

/** Replaces each `?` outside of strings by `$1`, `$2` … */
function numberParameters(text: string): string {
  let number = 0;
  return text.replaceAll(/'(?:[^']|'')*'|\?/g, (token) => (token === '?' ? `$${++number}` : token));
}

export function translateStatement(text: string): string {
  let translated = text;
  for (const [pattern, replacement] of replacements) translated = translated.replaceAll(globally(pattern), replacement);
  return numberParameters(translateScalarExtremes(translated));
}

function globally(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern, `${pattern.flags}g`);
}
