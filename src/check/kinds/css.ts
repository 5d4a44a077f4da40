/** `body css "<selector>" …`: elements of an HTML or XML body, their texts and attributes. */
import type { CheckKind, CheckOutcome, ReportProblem } from '../check-kind.ts';
import { explainMissingBody } from '../forms/body-value.ts';
import { type CountTest, describeCount, isCountSatisfied, parseCount } from '../forms/count-form.ts';
import { parseHasForm } from '../forms/has-form.ts';
import { describePresence, findTestComparison, type PresenceTest, parsePresenceTest } from '../forms/named-text.ts';
import { findSelectorProblem } from '../forms/selector.ts';
import { passesTest } from '../forms/value-test.ts';
import { quoteText } from '../json/describe-value.ts';
import type { Observation, SelectedElement } from '../observation.ts';
import type { Mutation } from '../subjects/subject.ts';

export type CssCheck = {
  readonly kind: 'css';
  readonly selector: string;
  /** Undefined for the text of the element. */
  readonly attribute: string | undefined;
  readonly quantifier: 'every' | 'some' | undefined;
  readonly test: PresenceTest | (CountTest & { readonly kind: 'length' });
  readonly expected: string;
};

const opening = /^body\s+(?:(every|some)\s+)?css\s+(?:"([^"]*)"|'([^']*)')(?:\s+@([\w:.-]+))?\s*/;

/** A field of the name `css` is followed by an operator. */
const unquoted = /^body\s+(?:(?:every|some)\s+)?css\s+(?!(?:containing|equals|length|matching|within)\b)(?=[\w#.[*])/;

function reportUnquoted(text: string, report: ReportProblem): 'refused' | undefined {
  const start = unquoted.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  const selector = text.slice(start);
  report('SCENARIO_CHECK_SELECTOR', start, text.length, { selector, problem: 'it is not in quotation marks' });
  return 'refused';
}

function parseTest(text: string, start: number, report: ReportProblem): CssCheck['test'] | 'refused' | undefined {
  const rest = text.slice(start);
  const count = /^length\b/.test(rest) ? parseCount(rest.slice('length'.length)) : undefined;
  if (count) return { kind: 'length', ...count };
  return parsePresenceTest(parseHasForm(text, start, /(?=[\s\S]|$)/y), text.slice(0, start).trim(), report);
}

function describe({ quantifier, selector, attribute, test }: Omit<CssCheck, 'expected' | 'kind'>): string {
  if (test.kind === 'length') return `${describeCount(test, 'element', 'elements')} \`${selector}\``;
  const subject = attribute === undefined ? `\`${selector}\`` : `\`${selector}\` with \`${attribute}\``;
  if (quantifier === undefined) return describePresence(`element ${subject}`, test).replace(/^a element/, 'an element');
  return `${quantifier === 'every' ? 'every' : 'at least one'} ${describePresence(subject, test).replace(/^an? /, '')}`;
}

export const cssKind: CheckKind<CssCheck> = {
  kind: 'css',
  form: 'body css "<selector>" [@<attribute>] equals <value>',
  meaning:
    'the one element of an HTML or XML body that the CSS selector names has exactly this text, spaces collapsed, or this value of the attribute; other tests as for headers. Also `length = <n>`, and for several elements `body every css …` and `body some css …`; without a test one exists. XML must be well-formed',
  example: 'body css "h1" equals Orders',
  looksAt: 'response',
  counted: true,
  readsText: true,
  parse(text, report) {
    const match = opening.exec(text);
    if (match === null) return reportUnquoted(text, report);
    const [whole, word, double, single, attribute] = match;
    const selector = double ?? single ?? '';
    const problem = findSelectorProblem(selector);
    const start = text.indexOf(selector, text.indexOf('css') + 4);
    if (problem !== undefined) {
      report('SCENARIO_CHECK_SELECTOR', start, Math.max(start + 1, start + selector.length), { selector, problem });
      return 'refused';
    }
    const test = parseTest(text, whole.length, report);
    if (test === undefined || test === 'refused') return test;
    const quantifier: CssCheck['quantifier'] = word === 'every' || word === 'some' ? word : undefined;
    const countsElements = test.kind === 'length' || (attribute === undefined && test.kind === 'exists');
    if (quantifier !== undefined && (countsElements || test.kind === 'absent')) return undefined;
    if (attribute !== undefined && test.kind === 'length') return undefined;
    const parts = { selector, attribute, quantifier, test };
    return { kind: 'css', ...parts, expected: describe(parts) };
  },
  judge(check, observation) {
    const elements = selectElements(check, observation);
    if ('passed' in elements) return elements;
    try {
      return judgeElements(check, elements, observation);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { passed: false, expected: check.expected, actual: error.message };
    }
  },
  findComparison: ({ test }) => {
    if (test.kind !== 'length') return findTestComparison(test);
    return test.sign === '=' || test.sign === '!=' ? undefined : test.sign;
  },
  getSubject(check, observation) {
    const { body } = observation;
    const text = body.kind === 'not_json' ? (body.text ?? '') : '';
    const elements = selectElements(check, observation);
    if (text === '' || 'passed' in elements) return undefined;
    return {
      id: 'body-text',
      measure: () => text.length,
      mutations: () => [withoutBody],
      ownMutations: () => (elements[0] ? mutateElement(text, elements[0]) : [addElement(text, check.selector)]),
    };
  },
  readingCost: 12,
};

function selectElements(
  { selector, expected }: CssCheck,
  { body, headers, selectElements: select }: Observation,
): readonly SelectedElement[] | CheckOutcome {
  if (body.kind === 'json') return { passed: false, expected, actual: 'a JSON body' };
  if (body.kind === 'empty' || body.text === undefined)
    return { passed: false, expected, actual: explainMissingBody(body) };
  if (!select) return { passed: false, expected, actual: 'the body was not read as markup' };
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const selected = select({ text: body.text, type }, selector);
  return 'problem' in selected ? { passed: false, expected, actual: selected.problem } : selected.elements;
}

function judgeElements(check: CssCheck, elements: readonly SelectedElement[], observation: Observation): CheckOutcome {
  const { test, expected, quantifier } = check;
  const count = `${elements.length} ${elements.length === 1 ? 'element' : 'elements'}`;
  if (test.kind === 'length') return { passed: isCountSatisfied(elements.length, test), expected, actual: count };
  if (test.kind === 'exists' && check.attribute === undefined)
    return { passed: elements.length > 0, expected, actual: elements.length === 0 ? 'no element' : count };
  const holdsForNone = test.kind === 'absent' && check.attribute === undefined;
  if (elements.length === 0) return { passed: holdsForNone, expected, actual: 'no element' };
  if (quantifier !== undefined) return judgeAll({ ...check, test, quantifier }, elements, observation);
  const [first] = elements;
  if (holdsForNone) return { passed: false, expected, actual: count };
  if (first === undefined || elements.length > 1)
    return { passed: false, expected, actual: `${count}; name one of them, or write \`body some css …\`` };
  return judgeElement({ ...check, test }, first, observation);
}

type ElementCheck = CssCheck & { readonly test: PresenceTest };

function readValue({ attribute }: CssCheck, element: SelectedElement, { conceal }: Observation): string | undefined {
  const value = attribute === undefined ? element.getText() : element.attributes.get(attribute);
  return value === undefined ? undefined : (conceal?.(value) ?? value);
}

function passesElement(check: ElementCheck, element: SelectedElement, observation: Observation): boolean {
  const value = readValue(check, element, observation);
  if (check.test.kind === 'absent') return value === undefined;
  return value !== undefined && passesTest(check.test, value, { nowMs: observation.nowMs });
}

function describeElementValue(check: CssCheck, element: SelectedElement, observation: Observation): string {
  const value = readValue(check, element, observation);
  return value === undefined ? `no attribute \`${check.attribute}\`` : quoteText(value);
}

function judgeElement(check: ElementCheck, element: SelectedElement, observation: Observation): CheckOutcome {
  const actual = describeElementValue(check, element, observation);
  return { passed: passesElement(check, element, observation), expected: check.expected, actual };
}

function judgeAll(check: ElementCheck, elements: readonly SelectedElement[], observation: Observation): CheckOutcome {
  const { expected, quantifier } = check;
  const index = elements.findIndex((element) => passesElement(check, element, observation) === (quantifier === 'some'));
  const element = elements[Math.max(0, index)];
  const value = element ? describeElementValue(check, element, observation) : '';
  const position = `${value}, element ${index + 1} of ${elements.length}`;
  if (quantifier === 'some')
    return index === -1
      ? { passed: false, expected, actual: `none of ${elements.length}, such as ${value}` }
      : { passed: true, expected, actual: position };
  return index === -1
    ? { passed: true, expected, actual: `all ${elements.length}, as ${value}` }
    : { passed: false, expected, actual: position };
}

const withoutBody: Mutation = {
  description: 'the body is missing',
  affects: 'presence',
  cost: 100,
  size: 0,
  apply: (observation) => ({ ...observation, body: { kind: 'empty' } }),
};

function createTextMutation(description: string, size: number, create: () => string): Mutation {
  return {
    description,
    affects: 'content',
    cost: size + 100,
    size,
    apply: (observation) => ({
      ...observation,
      body: { kind: 'not_json', problem: 'it is another text', excerpt: '', text: create() },
    }),
  };
}

function mutateElement(text: string, { start, end }: SelectedElement): Mutation[] {
  const element = text.slice(start, end);
  const create = (description: string, replacement: string): Mutation =>
    createTextMutation(description, text.length, () => text.slice(0, start) + replacement + text.slice(end));
  const tag = /^<[^>]*>/.exec(element)?.[0] ?? '';
  return [
    create('the element is missing', ''),
    create('the element is there twice', element + element),
    create('the element has another text', element.replaceAll(/>[^<]+</g, '>another text<')),
    create(
      'the attributes of the element have other values',
      element.replace(tag, tag.replaceAll(/(["'])[^"']*\1/g, '"x"')),
    ),
  ];
}

/** Where there must be none: an element of the simplest selector is one of its name. */
function addElement(text: string, selector: string): Mutation {
  const [, name, id, className] = /^([a-z][\w-]*)?(?:#([\w-]+))?(?:\.([\w-]+))?$/i.exec(selector) ?? [];
  const attributes = `${id === undefined ? '' : ` id="${id}"`}${className === undefined ? '' : ` class="${className}"`}`;
  const element = `<${name ?? 'p'}${attributes}>another text</${name ?? 'p'}>`;
  return createTextMutation('such an element is there', text.length, () => {
    const last = text.lastIndexOf('</');
    return last === -1 ? text + element : text.slice(0, last) + element + text.slice(last);
  });
}
