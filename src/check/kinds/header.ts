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
import { findHeader, type Observation } from '../observation.ts';

export type HeaderCheck = {
  readonly kind: 'header';
  readonly name: string;
  readonly test: PresenceTest;
  readonly expected: string;
};

/** A token (RFC 9110, 5.6.2). */
const namePattern = /[!#$%&'*+.^_`|~0-9A-Za-z-]*/y;

/** `header <name> [<test>]`. */
export const headerKind: CheckKind<HeaderCheck> = {
  kind: 'header',
  form: 'header <name> [<test>]',
  meaning:
    'the response has the header, in whatever case its name is written, and the value passes the test; repeated ones are joined by `, `; `absent`: it has none',
  example: 'header Content-Type matching ^application/json',
  looksAt: 'response',
  counted: true,
  needsHeadOnly: true,
  parse(text, report) {
    const start = /^header\s+(?!has\s)/.exec(text)?.[0].length;
    if (start === undefined) return undefined;
    const form = parseHasForm(text, start, namePattern);
    const { text: name, end } = form.field;
    const test = name === '' ? undefined : parsePresenceTest(form, text.slice(0, end), report);
    if (test === undefined || test === 'refused') return test;
    return { kind: 'header', name, test, expected: describePresence(`header \`${name}\``, test) };
  },
  judge: ({ name, test, expected }, observation) =>
    judgePresence(test, findHeader(observation, name), { expected, missing: 'no such header' }, observation),
  findComparison: ({ test }) => findTestComparison(test),
  getSubject: ({ name }, observation) => ({
    id: `header/${name.toLowerCase()}`,
    mutations: () =>
      mutateNamedText(`header \`${name}\``, findHeader(observation, name), (changed, text) =>
        withHeader(changed, name, text),
      ),
  }),
  isPresenceCheck: ({ test }) => test.kind === 'exists',
  readingCost: 8,
};

/** The observation with this header only once, or without it. */
export function withHeader(observation: Observation, name: string, value: string | undefined): Observation {
  const others = observation.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  return { ...observation, headers: value === undefined ? others : [...others, [name, value]] };
}
