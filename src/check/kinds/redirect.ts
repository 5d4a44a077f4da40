import type { CheckKind } from '../check-kind.ts';
import { parseHasForm } from '../forms/has-form.ts';
import { describeTest, parseValueTest, passesTest, type ValueTest } from '../forms/value-test.ts';
import { abbreviate, quoteText } from '../json/describe-value.ts';
import { findHeader, type Observation } from '../observation.ts';
import { withHeader } from './header.ts';

/** `target`: the URL, or a path of the target itself; `test`: of the `Location` as it was sent. */
export type RedirectCheck = {
  readonly kind: 'redirect';
  readonly target: string | undefined;
  readonly test: ValueTest | undefined;
  readonly expected: string;
};

/** RFC 9110, 15.4: those that name another location. */
const redirectCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function resolveUrl(text: string, base: string | undefined): string | undefined {
  return URL.parse(text, base)?.href;
}

/** Both are resolved against the URL of the request, so that `/login` is not the `/login` of another host. */
function isSameUrl(location: string, target: string, { url, conceal }: Observation): boolean {
  if (location === target) return true;
  const [left, right] = [resolveUrl(location, url), resolveUrl(target, url)];
  if (left === undefined || right === undefined) return false;
  return (conceal?.(left) ?? left) === right;
}

/** `redirect to <url>`. */
export const redirectKind: CheckKind<RedirectCheck> = {
  kind: 'redirect',
  form: 'redirect to <url>',
  meaning:
    'the status is 301, 302, 303, 307 or 308, and `Location` leads there; a path is one of the target itself; also `redirect to containing <text>`, `redirect to matching <regex>`; redirects are never followed',
  example: 'redirect to /login',
  looksAt: 'response',
  counted: true,
  needsHeadOnly: true,
  parse(text, report) {
    const start = /^redirect\s+to\s+/.exec(text)?.[0].length;
    if (start === undefined) return undefined;
    const form = parseHasForm(text, start, /(?=[\s\S])/y);
    const isTest = form.keyword.text === 'containing' || form.keyword.text === 'matching';
    const test = isTest ? parseValueTest(form, 'redirect to', report) : undefined;
    if (test === 'refused') return 'refused';
    if (test !== undefined)
      return { kind: 'redirect', target: undefined, test, expected: `a redirect${describeTest(test)}` };
    const target = text.slice(start);
    if (/\s/.test(target)) return undefined;
    return { kind: 'redirect', target, test: undefined, expected: `a redirect to ${abbreviate(target)}` };
  },
  judge({ target, test, expected }, observation) {
    const { status } = observation;
    const location = findHeader(observation, 'location');
    const actual = `status ${status} ${location === undefined ? 'without `Location`' : `to ${quoteText(location)}`}`;
    if (!redirectCodes.has(status) || location === undefined) return { passed: false, expected, actual };
    const leadsThere = test ? passesTest(test, location, observation) : isSameUrl(location, target ?? '', observation);
    return { passed: leadsThere, expected, actual };
  },
  getSubject: (_check, observation) => ({
    id: 'header/location',
    mutations: () => [
      {
        description: 'the response does not redirect',
        affects: 'content',
        cost: 10,
        size: 0,
        apply: (changed) => ({ ...changed, status: 200 }),
      },
      ...['/other', undefined].map((value) => ({
        description: value === undefined ? '`Location` is missing' : 'it redirects to another page',
        affects: 'content' as const,
        cost: 100,
        size: 10,
        apply: (changed: Observation) => withHeader(changed, 'location', value),
      })),
      ...mutateHost(findHeader(observation, 'location'), observation.url),
    ],
  }),
  readingCost: 8,
};

/** The same path on another host. */
function mutateHost(location: string | undefined, base: string | undefined) {
  const url = location === undefined ? null : URL.parse(location, base);
  if (url === null) return [];
  url.host = 'elsewhere.invalid';
  return [
    {
      description: 'it redirects to another host',
      affects: 'content' as const,
      cost: 100,
      size: url.href.length,
      apply: (changed: Observation) => withHeader(changed, 'location', url.href),
    },
  ];
}
