import type { Check, CheckKind } from '../check-kind.ts';
import type { Mutation } from '../subjects/subject.ts';

/** `expected` is a code, or a class such as `2xx`. */
export type StatusCheck = { readonly kind: 'status'; readonly expected: string };

/** Codes with a meaning of their own. */
const commonCodes = [200, 201, 204, 302, 400, 401, 403, 404, 409, 422, 500, 503];

/** `status=<code>`; applied, never counted (spec). */
export const statusKind: CheckKind<StatusCheck> = {
  kind: 'status',
  form: 'status=<code>',
  meaning: 'the HTTP status equals the code, 100 to 599, or is of the class: `status=2xx`',
  example: 'status=200',
  looksAt: 'response',
  counted: false,
  needsHeadOnly: true,
  parse(text, report) {
    const written = /^status=(.*)$/.exec(text)?.[1];
    if (written === undefined) return undefined;
    if (/^[1-5](?:\d\d|xx)$/.test(written)) return { kind: 'status', expected: written };
    report('SCENARIO_CHECK_STATUS', 0, text.length, { written });
    return 'refused';
  },
  judge: ({ expected }, { status }) => ({ passed: isExpected(status, expected), expected, actual: String(status) }),
  expectedStatus: ({ expected }) => expected,
  getSubject: (_check, observation) => ({ id: 'status', mutations: () => mutateStatus(observation.status) }),
  readingCost: 0,
  findUnchecked: (checks, observation) => (checks.some(isStatusCheck) ? [] : [suggestStatus(observation.status)]),
};

function isExpected(status: number, expected: string): boolean {
  return expected.endsWith('xx') ? String(status).startsWith(expected.charAt(0)) : String(status) === expected;
}

function isStatusCheck({ kind }: Check): boolean {
  return kind === statusKind.kind;
}

/** The neighbours of the received code, and the common ones. */
function mutateStatus(received: number): Mutation[] {
  const codes = new Set([500, 404, received + 1, received - 1, ...commonCodes]);
  const others = [...codes].filter((code) => code !== received && code >= 100 && code <= 599);
  return others.map((code) => ({
    description: `status ${code} instead of ${received}`,
    affects: 'content',
    cost: 10,
    size: 0,
    apply: (observation) => ({ ...observation, status: code }),
  }));
}

function suggestStatus(received: number) {
  return { pointer: 'status', value: String(received), suggestions: [`status=${received}`] };
}
