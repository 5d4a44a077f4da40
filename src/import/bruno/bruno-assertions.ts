/** A line of `assert`: `res.body.name: eq lamp`. */
import {
  type AssertionSubject,
  type AssertionTest,
  type TranslatedAssertion,
  translateAssertion,
} from '../assertion.ts';
import { toFieldPath } from '../json-path.ts';
import { replaceBraces } from '../placeholder-names.ts';

function readSubject(expression: string): AssertionSubject | undefined {
  if (expression === 'res.status') return { kind: 'status' };
  if (expression === 'res.responseTime') return { kind: 'duration' };
  const header = /^res\.headers(?:\.([\w-]+)|\[['"]([\w-]+)['"]\])$/.exec(expression);
  if (header) return { kind: 'header', name: header[1] ?? header[2] ?? '' };
  const sized = /^res\.body(.*)\.length$/.exec(expression)?.[1];
  const text = sized ?? /^res\.body(.*)$/.exec(expression)?.[1] ?? /^res\(['"](.+)['"]\)$/.exec(expression)?.[1];
  const path = text === undefined ? undefined : toFieldPath(text);
  return path && { kind: sized === undefined ? 'body' : 'length', path };
}

function readTest(text: string): AssertionTest | { readonly reason: string } {
  const [, word = '', rest = ''] = /^(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const value = rest.trim().replace(/^(['"])([\s\S]*)\1$/, '$2');
  switch (word) {
    case 'eq':
      return { kind: 'equals', value };
    case 'neq':
      return { kind: 'differs', value };
    case 'gt':
      return { kind: 'compares', sign: '>', value };
    case 'gte':
      return { kind: 'compares', sign: '>=', value };
    case 'lt':
      return { kind: 'compares', sign: '<', value };
    case 'lte':
      return { kind: 'compares', sign: '<=', value };
    case 'in':
      return {
        kind: 'one-of',
        values: value
          .replaceAll(/^\[|\]$/g, '')
          .split(',')
          .map((each) => each.trim()),
      };
    case 'contains':
      return { kind: 'contains', value };
    case 'matches':
      return { kind: 'matches', value: value.replace(/^\/(.*)\/$/, '$1') };
    case 'startsWith':
      return { kind: 'starts', value };
    case 'endsWith':
      return { kind: 'ends', value };
    case 'isEmpty':
      return { kind: 'empty' };
    case 'isNotEmpty':
      return { kind: 'not-empty' };
    case 'isDefined':
      return { kind: 'exists' };
    case 'isUndefined':
      return { kind: 'absent' };
    case 'isNull':
      return { kind: 'equals', value: 'null' };
    case 'isNumber':
      return { kind: 'type', type: 'number' };
    case 'isBoolean':
      return { kind: 'type', type: 'boolean' };
    case 'isArray':
      return { kind: 'type', type: 'list' };
    default:
      return text.trim() !== '' && !/^(?:is[A-Z]|not[A-Z]|between|length)/.test(word)
        ? { kind: 'equals', value: text.trim() }
        : { reason: `no check says \`${word}\`` };
  }
}

export function translateBrunoAssertion(expression: string, text: string): TranslatedAssertion {
  const subject = readSubject(expression.trim());
  if (!subject) return { reason: 'a check looks at the status, a header, a field of the body or the duration' };
  const length = subject.kind === 'body' ? /^length\s+(\d+)$/.exec(text.trim())?.[1] : undefined;
  if (length !== undefined && subject.kind === 'body')
    return translateAssertion({ kind: 'length', path: subject.path }, { kind: 'equals', value: length });
  const test = readTest(replaceBraces(text));
  return 'reason' in test ? test : translateAssertion(subject, test);
}
