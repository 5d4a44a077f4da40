import type { CheckKind } from '../check-kind.ts';
import { explainMissingBody } from '../forms/body-value.ts';
import { parseHasForm } from '../forms/has-form.ts';
import { mutateNamedText } from '../forms/named-text.ts';
import { describeTest, parseValueTest, passesTest, type ValueTest } from '../forms/value-test.ts';
import { quoteText } from '../json/describe-value.ts';
import { toStringForm } from '../json/json.ts';
import type { Observation } from '../observation.ts';
import type { Mutation } from '../subjects/subject.ts';

export type TextCheck = { readonly kind: 'text'; readonly test: ValueTest; readonly expected: string };

/** Undefined where the body is not text, or did not arrive completely. */
function findText({ body, conceal }: Observation): string | undefined {
  const text = body.kind === 'json' ? toStringForm(body.value) : body.kind === 'empty' ? '' : body.text;
  return text === undefined ? undefined : (conceal?.(text) ?? text);
}

/** Without the line break that most texts end with. */
function trimEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/** `body text <test>`: of HTML, XML, CSV and other bodies that are not JSON. */
export const textKind: CheckKind<TextCheck> = {
  kind: 'text',
  form: 'body text containing <text>',
  meaning:
    'the whole body as text contains the text, case-sensitive; also `equals <text>`, without the line break at its end, and `matching <regex>`; for HTML, XML, CSV and plain text, and a JSON body in its compact form',
  example: 'body text containing <h1>Orders</h1>',
  looksAt: 'response',
  counted: true,
  readsText: true,
  parse(text, report) {
    const start = /^body\s+text\s+(?=(?:equals|containing|matching)\b)/.exec(text)?.[0].length;
    if (start === undefined) return undefined;
    const test = parseValueTest(parseHasForm(text, start, /(?=[\s\S])/y), 'body text', report);
    if (test === undefined || test === 'refused') return test;
    return { kind: 'text', test, expected: `a body${describeTest(test)}` };
  },
  judge({ test, expected }, observation) {
    const text = findText(observation);
    const { body } = observation;
    if (text === undefined || body.kind === 'empty') {
      const actual = body.kind === 'json' ? 'no text' : explainMissingBody(body);
      return { passed: false, expected, actual };
    }
    return { passed: passesTest(test, trimEnd(text), observation), expected, actual: quoteText(trimEnd(text)) };
  },
  getSubject({ test }, observation) {
    const text = findText(observation) ?? '';
    return {
      id: 'body-text',
      measure: () => text.length,
      mutations: () => mutateNamedText('the body', text, withText),
      ownMutations: () => (test.kind === 'contains' ? [removeText(text, test.text)] : []),
    };
  },
  readingCost: 8,
};

function withText(observation: Observation, text: string | undefined): Observation {
  if (text === undefined) return { ...observation, body: { kind: 'empty' } };
  return { ...observation, body: { kind: 'not_json', problem: 'it is another text', excerpt: '', text } };
}

function removeText(text: string, searchedText: string): Mutation {
  return {
    description: 'the body is without the text',
    affects: 'content',
    cost: text.length + 100,
    size: text.length,
    apply: (observation) => withText(observation, text.replaceAll(searchedText, '')),
  };
}
