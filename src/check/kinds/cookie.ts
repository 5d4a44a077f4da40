import type { CheckKind } from '../check-kind.ts';
import { parseHasForm } from '../forms/has-form.ts';
import {
  describePresence,
  findTestComparison,
  judgePresence,
  mutateNamedText,
  type PresenceTest,
  parsePresenceTest,
} from '../forms/named-text.ts';
import {
  type CookieAttribute,
  cookieAttributes,
  findSetCookie,
  findSetCookies,
  formatSetCookie,
  type SetCookie,
} from '../forms/set-cookie.ts';
import type { Observation } from '../observation.ts';

export type CookieCheck = {
  readonly kind: 'cookie';
  readonly name: string;
  readonly attribute: CookieAttribute | undefined;
  readonly test: PresenceTest;
  readonly expected: string;
};

/** Stands for the value of a cookie, which usually is a credential. */
const hiddenValue = '[redacted]';

const namePattern = /[^\s<>=;]*/y;
const attributePattern = new RegExp(`(?:${cookieAttributes.join('|')})(?=$|[\\s<>=])`, 'iy');

function findAttribute(text: string): CookieAttribute | undefined {
  return cookieAttributes.find((attribute) => attribute.toLowerCase() === text.toLowerCase());
}

function findCookie(observation: Observation, name: string): SetCookie | undefined {
  return findSetCookie(findSetCookies(observation), name);
}

function findText({ name, attribute }: CookieCheck, observation: Observation): string | undefined {
  const cookie = findCookie(observation, name);
  return attribute === undefined ? cookie?.value : cookie?.attributes.get(attribute.toLowerCase());
}

/** `cookie <name> [<attribute>] [<test>]`. */
export const cookieKind: CheckKind<CookieCheck> = {
  kind: 'cookie',
  form: 'cookie <name> [<attribute>] [<test>]',
  meaning: `the response sets the cookie, or with an attribute (${cookieAttributes.map((name) => `\`${name}\``).join(', ')}) the cookie has it, and the value passes the test; \`absent\`: it does not`,
  example: 'cookie session HttpOnly',
  looksAt: 'response',
  counted: true,
  needsHeadOnly: true,
  parse(text, report) {
    const start = /^cookie\s+(?!has\s)/.exec(text)?.[0].length;
    if (start === undefined) return undefined;
    const ofCookie = parseHasForm(text, start, namePattern);
    const name = ofCookie.field.text;
    const attribute = findAttribute(/^[A-Za-z-]+/.exec(ofCookie.keyword.text)?.[0] ?? '');
    const form = attribute === undefined ? ofCookie : parseHasForm(text, ofCookie.keyword.start, attributePattern);
    const test = name === '' ? undefined : parsePresenceTest(form, text.slice(0, form.field.end), report);
    if (test === undefined || test === 'refused') return test;
    const subject = attribute === undefined ? `cookie \`${name}\`` : `cookie \`${name}\` with \`${attribute}\``;
    const expected =
      attribute !== undefined && test.kind === 'absent'
        ? `a cookie \`${name}\` without \`${attribute}\``
        : describePresence(subject, test);
    return { kind: 'cookie', name, attribute, test, expected };
  },
  judge(check, observation) {
    const { name, attribute, test, expected } = check;
    const isSet = findCookie(observation, name) !== undefined;
    // A cookie that is not set at all says nothing about its attributes.
    if (!isSet && attribute !== undefined) return { passed: false, expected, actual: 'no such cookie' };
    const missing = isSet ? `the cookie has no \`${attribute}\`` : 'no such cookie';
    const texts = { expected, missing, ...(attribute === undefined ? { hidden: hiddenValue } : {}) };
    return judgePresence(test, findText(check, observation), texts, observation);
  },
  findComparison: ({ test }) => findTestComparison(test),
  getSubject: (check, observation) => ({
    id: `cookie/${check.name}/${check.attribute ?? ''}`,
    group: `cookie/${check.name}`,
    mutations: () =>
      mutateNamedText(formatSubject(check), findText(check, observation), (changed, text) =>
        withCookie(changed, check, text),
      ),
  }),
  isPresenceCheck: ({ test }) => test.kind === 'exists',
  readingCost: 8,
};

function formatSubject({ name, attribute }: CookieCheck): string {
  return attribute === undefined ? `cookie \`${name}\`` : `\`${attribute}\` of the cookie \`${name}\``;
}

/** The observation with another value of the cookie or its attribute; undefined removes it. */
function withCookie(observation: Observation, check: CookieCheck, text: string | undefined): Observation {
  const { name, attribute } = check;
  const cookie = findCookie(observation, name) ?? { name, value: '', attributes: new Map() };
  const others = findSetCookies(observation).filter((other) => other.name !== name);
  const changed = attribute === undefined ? withValue(cookie, text) : withAttribute(cookie, attribute, text);
  const cookies = changed === undefined ? others : [...others, changed];
  return { ...observation, setCookies: cookies.map(formatSetCookie) };
}

function withValue(cookie: SetCookie, value: string | undefined): SetCookie | undefined {
  return value === undefined ? undefined : { ...cookie, value };
}

function withAttribute(cookie: SetCookie, attribute: CookieAttribute, text: string | undefined): SetCookie {
  const attributes = new Map(cookie.attributes);
  if (text === undefined) attributes.delete(attribute.toLowerCase());
  else attributes.set(attribute.toLowerCase(), text);
  return { ...cookie, attributes };
}
