/** Lines of `[Asserts]` and `[Captures]` → checks and captures. */
import {
  type AssertionSubject,
  type AssertionTest,
  type TranslatedAssertion,
  translateAssertion,
} from '../assertion.ts';
import { toFieldPath } from '../json-path.ts';
import { replaceBraces } from '../placeholder-names.ts';
import { toCssSelector } from '../xpath.ts';
import { decodeWrittenBytes } from './written-bytes.ts';

/** The words of a line: names, numbers, `"texts"`, `/patterns/`. */
type Word = { readonly kind: 'word' | 'text' | 'pattern'; readonly text: string };

const wordForm = /\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`|\/((?:[^/\\]|\\.)+)\/(?=\s|$)|(\S+))/y;

function unescapeText(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };
  return text.replaceAll(/\\(?:u\{([0-9a-fA-F]+)\}|(.))/g, (_, code: string | undefined, sign: string) =>
    code === undefined ? (escapes[sign] ?? sign) : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

function splitWords(text: string): readonly Word[] {
  const words: Word[] = [];
  wordForm.lastIndex = 0;
  for (let match = wordForm.exec(text); match !== null; match = wordForm.exec(text)) {
    const [, quoted, raw, pattern, word] = match;
    if (quoted !== undefined) words.push({ kind: 'text', text: unescapeText(quoted) });
    else if (raw !== undefined) words.push({ kind: 'text', text: raw });
    else if (pattern !== undefined) words.push({ kind: 'pattern', text: pattern.replaceAll('\\/', '/') });
    else words.push({ kind: 'word', text: word ?? '' });
  }
  return words;
}

const queryWords: ReadonlySet<string> = new Set([
  ...['status', 'header', 'cookie', 'body', 'jsonpath', 'xpath', 'duration'],
]);
const predicates: ReadonlySet<string> = new Set(
  '== != > >= < <= equals notEquals greaterThan greaterThanOrEquals lessThan lessThanOrEquals startsWith endsWith contains includes matches exists isEmpty isInteger isFloat isNumber isBoolean isString isCollection isList isObject isDate isIsoDate isUuid isIpv4 isIpv6 not'.split(
    ' ',
  ),
);
const notes: Readonly<Record<string, string>> = {
  regex: 'a pattern of the whole body is `body text matching …`; its groups are not compared',
  variable: 'only what the same request captures is checked: check the field that it comes from',
  sha256: 'no check computes a digest',
  md5: 'no check computes a digest',
  bytes: 'no check reads the bytes of a body',
  rawbytes: 'no check reads the bytes of a body',
  url: 'redirects are not followed: use `redirect to …`',
  redirects: 'redirects are not followed: use `redirect to …`',
  location: 'redirects are not followed: use `redirect to …`',
  certificate: 'no check reads the certificate',
  ip: 'no check reads the address',
  version: 'no check reads the version of HTTP',
};

type Query = { readonly subject: AssertionSubject; readonly rest: readonly Word[] } | { readonly reason: string };

function readQuery(words: readonly Word[]): Query {
  const [first, second, ...others] = words;
  const name = first?.text ?? '';
  // Bytes that are a text are compared as that.
  const isText = name === 'bytes' && words.some(({ text }) => (decodeWrittenBytes(text) ?? '') !== '');
  if (!queryWords.has(name) && !isText) return { reason: notes[name] ?? `nothing says \`${name}\`` };
  if (name === 'status' || name === 'duration') return { subject: { kind: name }, rest: words.slice(1) };
  if (name === 'body' || isText) return { subject: { kind: 'text' }, rest: words.slice(1) };
  if (second?.kind !== 'text') return { reason: 'what it looks at is not a text' };
  if (name === 'header' && /^set-cookie$/i.test(second.text))
    return { reason: 'cookies have checks of their own: write `cookie <name> equals …`' };
  if (name === 'header') return { subject: { kind: 'header', name: second.text }, rest: others };
  if (name === 'cookie') {
    const [, cookie = '', attribute] = /^([^[\]]+)(?:\[([\w-]+)\])?$/.exec(second.text) ?? [];
    const isPlain = attribute === undefined || attribute === 'Value';
    return { subject: { kind: 'cookie', name: isPlain ? cookie : `${cookie} ${attribute}` }, rest: others };
  }
  if (name === 'xpath') {
    const element = toCssSelector(second.text);
    if (element) return { subject: { kind: 'css', element }, rest: others };
    return { reason: 'this XPath has no CSS selector of the same meaning: write `body css "…"` or `body text …`' };
  }
  const path = toFieldPath(second.text);
  if (!path) return { reason: 'the path has a filter, a slice or a search, and a check names one field' };
  return { subject: { kind: 'body', path }, rest: others };
}

/** Filters between query and predicate: `count` has a check of its own, `nth` is part of a path. */
function applyFilters(subject: AssertionSubject, words: readonly Word[]): Query {
  const end = words.findIndex(({ kind, text }) => kind === 'word' && predicates.has(text));
  const filters = end === -1 ? words : words.slice(0, end);
  const rest = end === -1 ? [] : words.slice(end);
  if (filters.length === 0) return { subject, rest };
  const [filter, operand] = filters;
  if (subject.kind === 'css' && filter?.text === 'count' && filters.length === 1)
    return { subject: { kind: 'elements', element: subject.element }, rest };
  // A check compares how a value is written.
  const isWhole = /^-?\d+$/.test(rest[1]?.text ?? '');
  if (filter?.text === 'toInt' && filters.length === 1 && /^(?:==|equals)$/.test(rest[0]?.text ?? '') && isWhole)
    return { subject, rest };
  if (subject.kind === 'body' && filter?.text === 'count' && filters.length === 1)
    return { subject: { kind: 'length', path: subject.path }, rest };
  if (subject.kind === 'body' && filter?.text === 'first' && filters.length === 1 && !subject.path.isList)
    return { subject: { kind: 'body', path: { field: `${subject.path.field}[0]`, isList: false } }, rest };
  if (subject.kind === 'body' && filter?.text === 'nth' && /^\d+$/.test(operand?.text ?? '') && filters.length === 2) {
    const { field, isList } = subject.path;
    if (!isList) return { subject: { kind: 'body', path: { field: `${field}[${operand?.text}]`, isList } }, rest };
  }
  return { reason: `nothing says the filter \`${filter?.text ?? ''}\`` };
}

function readTest([predicate, ...operands]: readonly Word[]): AssertionTest | { readonly reason: string } {
  const [operand] = operands;
  const written = operand?.text ?? '';
  const value = (operand?.kind === 'word' ? decodeWrittenBytes(written) : undefined) ?? written;
  switch (predicate?.text) {
    case '==':
    case 'equals':
      return { kind: 'equals', value, isNumber: operand?.kind === 'word' && value === written };
    case '!=':
    case 'notEquals':
      return { kind: 'differs', value };
    case '>':
    case '>=':
    case '<':
    case '<=':
      return { kind: 'compares', sign: predicate.text, value };
    case 'startsWith':
      return { kind: 'starts', value };
    case 'endsWith':
      return { kind: 'ends', value };
    case 'contains':
    case 'includes':
      // A number, unlike a text, can only be an element of a list.
      return { kind: operand?.kind === 'word' && value === written ? 'has-element' : 'contains', value };
    case 'matches':
      return { kind: 'matches', value };
    case 'exists':
      return { kind: 'exists' };
    case 'isEmpty':
      return { kind: 'empty' };
    case 'isInteger':
      return { kind: 'type', type: 'integer' };
    case 'isFloat':
      return { kind: 'type', type: 'float' };
    case 'isNumber':
      return { kind: 'type', type: 'number' };
    case 'isBoolean':
      return { kind: 'type', type: 'boolean' };
    case 'isCollection':
    case 'isList':
      return { kind: 'type', type: 'list' };
    case 'isObject':
      return { kind: 'type', type: 'object' };
    case 'isDate':
    case 'isIsoDate':
      return { kind: 'type', type: 'date' };
    case 'isUuid':
      return { kind: 'type', type: 'uuid' };
    case 'not':
      return negate(readTest(operands));
    default:
      return { reason: `no check says \`${predicate?.text ?? ''}\`` };
  }
}

function negate(test: AssertionTest | { readonly reason: string }): AssertionTest | { readonly reason: string } {
  if ('reason' in test) return test;
  if (test.kind === 'exists') return { kind: 'absent' };
  if (test.kind === 'empty') return { kind: 'not-empty' };
  if (test.kind === 'equals') return { kind: 'differs', value: test.value };
  return { reason: 'no check says that a value is something else' };
}

/** `fill` replaces variables whose value the file gives. */
export function translateHurlAssert(text: string, fill: (text: string) => string = replaceBraces): TranslatedAssertion {
  const query = readQuery(splitWords(fill(text)));
  if ('reason' in query) return query;
  const filtered = applyFilters(query.subject, query.rest);
  if ('reason' in filtered) return filtered;
  const test = readTest(filtered.rest);
  return 'reason' in test ? test : translateAssertion(filtered.subject, test);
}

/** The source of a capture, such as `body.id`. */
export function translateHurlCapture(text: string): { readonly source: string } | { readonly reason: string } {
  const query = readQuery(splitWords(text.replace(/\s+redact$/, '')));
  if ('reason' in query) return query;
  const filtered = applyFilters(query.subject, query.rest);
  if ('reason' in filtered) return filtered;
  const { subject } = filtered;
  if (subject.kind === 'status') return { source: 'status' };
  if (subject.kind === 'header' || (subject.kind === 'cookie' && !subject.name.includes(' ')))
    return { source: `${subject.kind} ${subject.name}` };
  if (subject.kind !== 'body' || subject.path.isList || subject.path.field === '')
    return { reason: 'a capture takes one value of the JSON body, a header, a cookie or the status' };
  return { source: subject.path.field.startsWith('[') ? `body${subject.path.field}` : `body.${subject.path.field}` };
}
