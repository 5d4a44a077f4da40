/** The text of a recorded response → the body that checks read. */
import { readJson } from '../check/json/read-json.ts';
import type { ObservedBody } from '../check/observation.ts';

const maxExcerptLength = 200;

export function toSeenBody(text: string): ObservedBody {
  if (text.trim() === '') return { kind: 'empty' };
  try {
    return { kind: 'json', value: readJson(text) };
  } catch {
    return { kind: 'not_json', problem: 'it is not JSON', excerpt: text.slice(0, maxExcerptLength), text };
  }
}
