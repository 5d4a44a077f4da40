/** Assertions of other tools, as one form: what is looked at, and the test → the text of a check. */
import type { ImportedPath } from './json-path.ts';
import type { ImportedSelector } from './xpath.ts';

export type AssertionSubject =
  | { readonly kind: 'status' | 'text' | 'duration' }
  | { readonly kind: 'body'; readonly path: ImportedPath }
  | { readonly kind: 'length'; readonly path: ImportedPath }
  | { readonly kind: 'css'; readonly element: ImportedSelector }
  | { readonly kind: 'elements'; readonly element: ImportedSelector }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'cookie'; readonly name: string };

export type AssertionTest =
  | { readonly kind: 'exists' | 'absent' | 'empty' | 'not-empty' }
  | { readonly kind: 'equals'; readonly value: string; readonly isNumber?: boolean }
  | {
      readonly kind: 'differs' | 'contains' | 'has-element' | 'matches' | 'starts' | 'ends';
      readonly value: string;
    }
  | { readonly kind: 'compares'; readonly sign: '>' | '>=' | '<' | '<='; readonly value: string }
  | { readonly kind: 'one-of'; readonly values: readonly string[] }
  | { readonly kind: 'type'; readonly type: ValueType };

/** Patterns of the string form of values; a text could have the same form, so `string` has none. */
const typePatterns = {
  integer: '^-?[0-9]+$',
  float: '^-?[0-9]+\\.[0-9]+([eE][+-]?[0-9]+)?$',
  number: '^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$',
  boolean: '^(true|false)$',
  list: '^\\[',
  object: '^\\{',
  uuid: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  date: '^[0-9]{4}-[0-9]{2}-[0-9]{2}',
} as const;
export type ValueType = keyof typeof typePatterns;

export type TranslatedAssertion = { readonly check: string } | { readonly reason: string };

export function escapePattern(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`);
}

const refuse = (reason: string): TranslatedAssertion => ({ reason });

export function translateAssertion(subject: AssertionSubject, test: AssertionTest): TranslatedAssertion {
  const values = 'value' in test ? [test.value] : 'values' in test ? test.values : [];
  if (values.some((value) => /[\r\n]/.test(value))) return refuse('a check is one line, and the value has several');
  switch (subject.kind) {
    case 'status':
      return translateStatus(test);
    case 'duration':
      return test.kind === 'compares'
        ? { check: `duration ${test.sign} ${test.value}ms` }
        : refuse('a duration is compared with `<` or `<=`');
    case 'length':
      return translateLength(subject.path, test);
    case 'text':
      return translateText(test);
    case 'body':
      return translateBody(subject.path, test);
    case 'css':
      return translateNamed(formatElement(subject.element), test);
    case 'elements':
      return test.kind === 'equals' && /^\d+$/.test(test.value) && subject.element.attribute === undefined
        ? { check: `${formatElement(subject.element)} length = ${test.value}` }
        : refuse('the number of elements is compared with `=`');
    default:
      return translateNamed(`${subject.kind} ${subject.name}`, test);
  }
}

function formatElement({ selector, attribute }: ImportedSelector): string {
  return `body css "${selector}"${attribute === undefined ? '' : ` @${attribute}`}`;
}

function translateStatus(test: AssertionTest): TranslatedAssertion {
  if (test.kind === 'equals' && /^[1-5]\d\d$/.test(test.value)) return { check: `status=${test.value}` };
  if (test.kind === 'one-of') {
    const classes = new Set(test.values.map((value) => value.charAt(0)));
    if (classes.size === 1) return { check: `status=${test.values[0]?.charAt(0)}xx` };
  }
  return refuse('a scenario expects one status or one class of them, such as `status=2xx`');
}

function translateLength({ field, isList, endsInList }: ImportedPath, test: AssertionTest): TranslatedAssertion {
  if (isList && !endsInList) {
    if (test.kind === 'equals' && /^\d+$/.test(test.value))
      return { check: `body count(${field}) equals ${test.value}` };
    return refuse('the path gives the values of several elements: write `body count(…) equals …`');
  }
  const path = field === '' ? '' : `${field} `;
  if (test.kind === 'equals' && /^\d+$/.test(test.value)) return { check: `body ${path}length = ${test.value}` };
  if (test.kind === 'differs' && /^\d+$/.test(test.value)) return { check: `body ${path}length != ${test.value}` };
  const atLeastOne =
    test.kind === 'not-empty' ||
    (test.kind === 'compares' && `${test.sign}${test.value}` === '>0') ||
    (test.kind === 'compares' && `${test.sign}${test.value}` === '>=1');
  if (atLeastOne) return { check: `body ${path}length != 0` };
  return refuse('a length is compared with `=` in this layer: numbers are not compared with `>` and `<`');
}

function translateText(test: AssertionTest): TranslatedAssertion {
  const operator = formatTextTest(test);
  return operator === undefined
    ? refuse('the text of a body is compared with equals, containing or matching')
    : { check: `body text ${operator}` };
}

/** The tests that headers, cookies and texts share. */
function formatTextTest(test: AssertionTest): string | undefined {
  switch (test.kind) {
    case 'equals':
      return test.value === '' ? 'matching ^$' : `equals ${test.value}`;
    case 'contains':
      return `containing ${test.value}`;
    case 'matches':
      return `matching ${test.value}`;
    case 'starts':
      return `matching ^${escapePattern(test.value)}`;
    case 'ends':
      return `matching ${escapePattern(test.value)}$`;
    case 'one-of':
      return `matching ^(${test.values.map(escapePattern).join('|')})$`;
    case 'type':
      return `matching ${typePatterns[test.type]}`;
    case 'not-empty':
      return 'matching .';
    case 'empty':
      return 'matching ^$';
    default:
      return undefined;
  }
}

function translateNamed(name: string, test: AssertionTest): TranslatedAssertion {
  if (test.kind === 'exists') return { check: name };
  if (test.kind === 'absent') return { check: `${name} absent` };
  const operator = formatTextTest(test);
  return operator === undefined
    ? refuse('no check says that a value is something else')
    : { check: `${name} ${operator}` };
}

function translateBody(path: ImportedPath, test: AssertionTest): TranslatedAssertion {
  const { field, isList } = path;
  if (field === '' && !isList) return translateRoot(test);
  if (isList) return translateElements(path, test);
  if (test.kind === 'absent') return { check: `body has no ${field}` };
  if (test.kind === 'has-element') return { check: `body some ${field} equals ${test.value}` };
  if (test.kind === 'exists') return { check: `body has ${field}` };
  if (test.kind === 'empty') return { check: `body ${field} length = 0` };
  if (test.kind === 'not-empty') return { check: `body ${field} length != 0` };
  if (test.kind === 'compares') return translateComparison(field, test.sign, test.value);
  if (test.kind === 'differs')
    return /^-?\d+(?:\.\d+)?$/.test(test.value)
      ? { check: `body ${field} != ${test.value}` }
      : refuse('no check says that a text is something else: name what it is');
  // Numbers are equal however they are written, and a text is not a number.
  if (test.kind === 'equals' && test.isNumber && /^-?\d+\.\d+$/.test(test.value))
    return { check: `body ${field} equals ${test.value}` };
  const operator = formatTextTest(test);
  return operator === undefined ? refuse('no check has this meaning') : { check: `body has ${field} ${operator}` };
}

function translateRoot(test: AssertionTest): TranslatedAssertion {
  if (test.kind === 'empty') return { check: 'body length = 0' };
  if (test.kind === 'not-empty') return { check: 'body length != 0' };
  return refuse('a check names a field of the body');
}

function translateElements({ field }: ImportedPath, test: AssertionTest): TranslatedAssertion {
  if (field === '') return refuse('the path names all members, and a check names one field');
  if (test.kind === 'exists' || test.kind === 'not-empty') return { check: `body some ${field}` };
  const operator = test.kind === 'contains' || test.kind === 'has-element' ? `equals ${test.value}` : undefined;
  return operator === undefined
    ? refuse('the test is of the list that the path gives: write `body every` or `body some`')
    : { check: `body some ${field} ${operator}` };
}

/** Digits say the two bounds that are usual; the layer refuses the others. */
function translateComparison(field: string, sign: string, value: string): TranslatedAssertion {
  const bound = `${sign}${value}`;
  if (bound === '>=0' || bound === '>-1') return { check: `body has ${field} matching ^[0-9]+(\\.[0-9]+)?$` };
  if (bound === '>=1') return { check: `body has ${field} matching ^[1-9][0-9]*(\\.[0-9]+)?$` };
  if (bound === '>0') return { check: `body has ${field} matching ^(0\\.0*[1-9][0-9]*|[1-9][0-9]*(\\.[0-9]+)?)$` };
  return refuse(
    `the layer \`HTTP Ingestion\` compares no numbers: in a layer with log or database write \`body has ${field} ${sign} ${value}\``,
  );
}
