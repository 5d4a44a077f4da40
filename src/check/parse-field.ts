/** Text → `FieldPath`. */
import type { FieldPath, Reading, Step } from './field-path.ts';

/** What is wrong with a path, in plain words, with the offsets in it. */
export type FieldProblem = {
  readonly problem: string;
  readonly cure: string;
  readonly start: number;
  readonly end: number;
};

type Token =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number };

/** More than any body needs. */
const maxSteps = 64;
const maxLength = 1000;

const plain = /^[^.[\]"'`\s]+/;
const index = /^\[(\d{1,9})\]/;
const quotedKey = /^\[("(?:[^"\\]|\\.)*")\]/;
const bracket = /^\[[^\]]*\]?/;

function pointerOf(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function parsedKey(literal: string): string | undefined {
  try {
    return String(JSON.parse(literal));
  } catch {
    return undefined;
  }
}

function bracketProblem(text: string, start: number): FieldProblem {
  const whole = bracket.exec(text.slice(start))?.[0] ?? '[';
  const end = start + whole.length;
  const cure = /^\[(\*|\s*)\]$/.test(whole)
    ? 'a check looks at one element: name it by its number, such as `[0]`'
    : 'write an element as `[0]`, a key as `["key"]`';
  return { problem: `\`${whole}\` is neither an element nor a quoted key`, cure, start, end };
}

function bracketToken(text: string, start: number): { token: Token; length: number } | FieldProblem {
  const rest = text.slice(start);
  const number = index.exec(rest);
  if (number?.[1] !== undefined) {
    return { token: { kind: 'index', index: Number(number[1]) }, length: number[0].length };
  }
  const literal = quotedKey.exec(rest);
  const key = literal?.[1] === undefined ? undefined : parsedKey(literal[1]);
  if (literal === null || key === undefined) return bracketProblem(text, start);
  return { token: { kind: 'key', key }, length: literal[0].length };
}

function nameToken(text: string, start: number): { token: Token; length: number } | FieldProblem {
  const name = plain.exec(text.slice(start))?.[0];
  if (name !== undefined) return { token: { kind: 'name', name }, length: name.length };
  const found = text[start];
  if (found === '`') return { ...codeMarks, start, end: start + 1 };
  const problem = found === undefined || found === '.' ? 'a name is missing' : `\`${found}\` cannot stand in a name`;
  const cure = 'write names joined by dots, such as `database.status`, and a key with other characters as `["key"]`';
  return { problem, cure, start, end: Math.min(start + 1, text.length) };
}

const codeMarks = {
  problem: 'it has code marks around it',
  cure: 'write the name as it is in the body, without marks',
};

function tokenize(text: string): readonly Token[] | FieldProblem {
  const tokens: Token[] = [];
  let at = 0;
  do {
    const bracketed = text[at] === '[';
    if (tokens.length > 0 && !bracketed) {
      if (text[at] !== '.') return { ...dotMissing, start: at, end: text.length };
      at += 1;
    }
    const next = bracketed ? bracketToken(text, at) : nameToken(text, at);
    if ('problem' in next) return next;
    tokens.push(next.token);
    at += next.length;
  } while (at < text.length);
  return tokens;
}

const dotMissing = { problem: 'a dot is missing', cure: 'join names by dots, such as `data[0].id`' };

function readings(tokens: readonly Token[], at: number): readonly Reading[] {
  const list: Reading[] = [];
  let key = '';
  for (let steps = 1; ; steps += 1) {
    const token = tokens[at + steps - 1];
    if (token?.kind !== 'name') return list.reverse();
    key = steps === 1 ? token.name : `${key}.${token.name}`;
    list.push({ key, pointer: pointerOf(key), steps });
  }
}

function stepOf(token: Token, at: number, tokens: readonly Token[]): Step {
  if (token.kind === 'name') return { kind: 'name', readings: readings(tokens, at) };
  if (token.kind === 'key') return { ...token, pointer: pointerOf(token.key) };
  return { ...token, pointer: `/${token.index}` };
}

function refused(text: string, problem: string, cure: string, end = text.length): FieldProblem {
  return { problem, cure, start: 0, end };
}

/** Parses a path, or says what is wrong with it. */
export function parseField(text: string): FieldPath | FieldProblem {
  if (/^\$(?=[.[]|$)/.test(text)) {
    const cure = 'leave out `$`: paths begin at the body, such as `data[0].id`; a key `$` is written `["$"]`';
    return refused(text, '`$` is no field', cure, 1);
  }
  if (text.length > maxLength) return refused(text, `it has more than ${maxLength} characters`, 'shorten it');
  const tokens = tokenize(text);
  if ('problem' in tokens) return tokens;
  if (tokens.length > maxSteps) return refused(text, `it has more than ${maxSteps} steps`, 'shorten it');
  return { text, steps: tokens.map(stepOf) };
}
