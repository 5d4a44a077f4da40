/** Keys that occur twice in one object with different values: parsers disagree on which counts (RFC 8259, 4). */
import { Numeral } from './json.ts';
import { findStringEnd } from './read-json.ts';

/**
 * The first such key of `text`, which is JSON and was parsed into `value`; undefined where every reader sees the same. Bodies without
 * a repeated key, which nearly all are, cost two counts.
 */
export function findConflictingKey(text: string, value: unknown): string | undefined {
  const written = countWrittenMembers(text);
  return written === 0 || written === countParsedMembers(value) ? undefined : searchConflict(text);
}

/** A string before a colon is the name of a member. */
function countWrittenMembers(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    let index = findStringEnd(text, start) + 1;
    while (isWhiteSpace(text.charCodeAt(index))) index += 1;
    if (text[index] === ':') count += 1;
    start = text.indexOf('"', index);
  }
  return count;
}

function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Not recursive, because a value may be nested deep. */
function countParsedMembers(root: unknown): number {
  let count = 0;
  const open: unknown[] = [root];
  const openIfComposite = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) open.push(value);
  };
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null || value instanceof Numeral) continue;
    if (Array.isArray(value)) value.forEach(openIfComposite);
    else {
      // Object.values would make a list for each object.
      for (const name in value) {
        count += 1;
        openIfComposite(Reflect.get(value, name));
      }
    }
  }
  return count;
}

type OpenObject = { readonly members: Map<string, string>; key: string | undefined; valueStart: number };

/** Values are compared as they were written. */
function searchConflict(text: string): string | undefined {
  const open: (OpenObject | undefined)[] = [];
  let lastString = '';
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    const object = open.at(-1);
    if (char === '"') {
      const end = findStringEnd(text, index);
      if (object?.key === undefined) lastString = text.slice(index, end + 1);
      index = end;
    } else if (char === '{') open.push({ members: new Map(), key: undefined, valueStart: 0 });
    else if (char === '[') open.push(undefined);
    else if (char === ':' && object)
      Object.assign(object, { key: String(JSON.parse(lastString)), valueStart: index + 1 });
    else if (char === ',' || char === '}' || char === ']') {
      const conflict = object && closeMember(object, text, index);
      if (conflict !== undefined) return conflict;
      if (char !== ',') open.pop();
    }
  }
  return undefined;
}

/** Notes the member that ends before `end`; returns its key where the object has it with another value. */
function closeMember(object: OpenObject, text: string, end: number): string | undefined {
  const { key, members, valueStart } = object;
  if (key === undefined) return undefined;
  object.key = undefined;
  const written = text.slice(valueStart, end).trim();
  const earlier = members.get(key);
  members.set(key, written);
  return earlier === undefined || earlier === written ? undefined : key;
}
