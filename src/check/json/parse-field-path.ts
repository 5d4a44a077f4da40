/** The text of a field → `FieldPath`. */
import type { FieldPath, KeyCandidate, PathStep } from './field-path.ts';

/** Why a path is invalid; `start` and `end` are offsets in it. */
export type FieldPathProblem = {
  readonly problem: string;
  readonly cure: string;
  readonly start: number;
  readonly end: number;
};

type Token =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number };

const maxSteps = 64;
const maxLength = 1000;

const namePattern = /^[^.[\]"'`\s]+/;
const indexPattern = /^\[(\d{1,9})\]/;
const quotedKeyPattern = /^\[("(?:[^"\\]|\\.)*")\]/;
const bracketPattern = /^\[[^\]]*\]?/;

function toPointer(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function parseKey(literal: string): string | undefined {
  try {
    return String(JSON.parse(literal));
  } catch {
    return undefined;
  }
}

function buildBracketProblem(text: string, start: number): FieldPathProblem {
  const bracketText = bracketPattern.exec(text.slice(start))?.[0] ?? '[';
  const end = start + bracketText.length;
  const cure = /^\[(\*|\s*)\]$/.test(bracketText)
    ? 'a check looks at one element: name it by its number, such as `[0]`'
    : 'write an element as `[0]`, a key as `["key"]`';
  return { problem: `\`${bracketText}\` is neither an element nor a quoted key`, cure, start, end };
}

function readBracketToken(text: string, start: number): { token: Token; length: number } | FieldPathProblem {
  const remaining = text.slice(start);
  const indexMatch = indexPattern.exec(remaining);
  if (indexMatch?.[1] !== undefined) {
    return { token: { kind: 'index', index: Number(indexMatch[1]) }, length: indexMatch[0].length };
  }
  const keyMatch = quotedKeyPattern.exec(remaining);
  const key = keyMatch?.[1] === undefined ? undefined : parseKey(keyMatch[1]);
  if (keyMatch === null || key === undefined) return buildBracketProblem(text, start);
  return { token: { kind: 'key', key }, length: keyMatch[0].length };
}

function readNameToken(text: string, start: number): { token: Token; length: number } | FieldPathProblem {
  const name = namePattern.exec(text.slice(start))?.[0];
  if (name !== undefined) return { token: { kind: 'name', name }, length: name.length };
  const character = text[start];
  if (character === '`') return { ...codeMarksProblem, start, end: start + 1 };
  const problem =
    character === undefined || character === '.' ? 'a name is missing' : `\`${character}\` cannot stand in a name`;
  const cure = 'write names joined by dots, such as `database.status`, and a key with other characters as `["key"]`';
  return { problem, cure, start, end: Math.min(start + 1, text.length) };
}

const codeMarksProblem = {
  problem: 'it has code marks around it',
  cure: 'write the name as it is in the body, without marks',
};

function tokenize(text: string): readonly Token[] | FieldPathProblem {
  const tokens: Token[] = [];
  let position = 0;
  do {
    const bracketed = text[position] === '[';
    if (tokens.length > 0 && !bracketed) {
      if (text[position] !== '.') return { ...missingDotProblem, start: position, end: text.length };
      position += 1;
    }
    const next = bracketed ? readBracketToken(text, position) : readNameToken(text, position);
    if ('problem' in next) return next;
    tokens.push(next.token);
    position += next.length;
  } while (position < text.length);
  return tokens;
}

const missingDotProblem = { problem: 'a dot is missing', cure: 'join names by dots, such as `data[0].id`' };

function buildCandidates(tokens: readonly Token[], tokenIndex: number): readonly KeyCandidate[] {
  const list: KeyCandidate[] = [];
  let key = '';
  for (let steps = 1; ; steps += 1) {
    const token = tokens[tokenIndex + steps - 1];
    if (token?.kind !== 'name') return list.reverse();
    key = steps === 1 ? token.name : `${key}.${token.name}`;
    list.push({ key, pointer: toPointer(key), steps });
  }
}

function toStep(token: Token, tokenIndex: number, tokens: readonly Token[]): PathStep {
  if (token.kind === 'name') return { kind: 'name', candidates: buildCandidates(tokens, tokenIndex) };
  if (token.kind === 'key') return { ...token, pointer: toPointer(token.key) };
  return { ...token, pointer: `/${token.index}` };
}

function createProblem(text: string, problem: string, cure: string, end = text.length): FieldPathProblem {
  return { problem, cure, start: 0, end };
}

export function parseField(text: string): FieldPath | FieldPathProblem {
  if (/^\$(?=[.[]|$)/.test(text)) {
    const cure = 'leave out `$`: paths begin at the body, such as `data[0].id`; a key `$` is written `["$"]`';
    return createProblem(text, '`$` is no field', cure, 1);
  }
  if (text.length > maxLength) return createProblem(text, `it has more than ${maxLength} characters`, 'shorten it');
  const tokens = tokenize(text);
  if ('problem' in tokens) return tokens;
  if (tokens.length > maxSteps) return createProblem(text, `it has more than ${maxSteps} steps`, 'shorten it');
  return { text, steps: tokens.map(toStep) };
}
