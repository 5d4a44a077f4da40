/** The text of a body → what checks look at. */
import type { ObservedBody } from '../observation.ts';
import { exceedsParsedBytes, formatMaxParsed, maxParsedBytes } from './json-size.ts';
import { readJson } from './read-json.ts';
import { findConflictingKey } from './repeated-keys.ts';

/** Maximum excerpt of a body that is not JSON, in UTF-16 units. */
export const maxBodyExcerptLength = 400;
const maxKeyLength = 80;

/** Text in UTF-8 as the body that checks look at: JSON without ambiguity, or the problem. */
export function observeJson(text: string): ObservedBody {
  if (exceedsParsedBytes(text, maxParsedBytes))
    return { kind: 'not_json', problem: formatMaxParsed(), excerpt: text.slice(0, maxBodyExcerptLength), text };
  try {
    const value = readJson(text);
    const key = findConflictingKey(text, value);
    if (key === undefined) return { kind: 'json', value };
    return toAmbiguousBody(text, key);
  } catch (error) {
    const problem = error instanceof SyntaxError ? formatParserMessage(error.message) : 'it is nested too deeply';
    return { kind: 'not_json', problem, excerpt: text.slice(0, maxBodyExcerptLength), text };
  }
}

function toAmbiguousBody(text: string, key: string): ObservedBody {
  const name = key.length <= maxKeyLength ? key : `${key.slice(0, maxKeyLength)}…`;
  const problem = `the key \`${name}\` occurs twice in one object, with different values`;
  return { kind: 'not_json', problem, excerpt: text.slice(0, maxBodyExcerptLength) };
}

/** The parser's message without the excerpt of the body that it repeats. */
function formatParserMessage(message: string): string {
  const text = message.replace(/, (?:\.\.\.)?".*$/s, '').replace(/(?: in JSON)? at position \d+ \((.+)\)$/, ' at $1');
  return text.charAt(0).toLowerCase() + text.slice(1);
}
