import type { CheckKind } from './kind.ts';

/** The status equals the code. */
export type StatusCheck = { readonly kind: 'status'; readonly code: number };

/** `status=<code>`; applied, never counted (spec). */
export const status: CheckKind<StatusCheck> = {
  kind: 'status',
  form: 'status=<code>',
  meaning: 'the HTTP status equals the code, 100 to 599',
  example: 'status=200',
  looksAt: 'response',
  counted: false,
  parse(text, report) {
    const written = /^status=(.*)$/.exec(text)?.[1];
    if (written === undefined) return undefined;
    if (/^[1-5]\d\d$/.test(written)) return { kind: 'status', code: Number(written) };
    report('SCENARIO_CHECK_STATUS', 0, text.length, { written });
    return 'refused';
  },
  judge: ({ code }, observed) => ({
    passed: observed.status === code,
    expected: String(code),
    actual: String(observed.status),
  }),
};
