import type { Report, ReportCheck } from '../../report/report.ts';

/** A check whose outcome is another one than before; undefined where it was not there. */
export type CheckChange = {
  readonly text: string;
  readonly before: ReportCheck['outcome'] | undefined;
  readonly after: ReportCheck['outcome'] | undefined;
  readonly actualBefore: string | null;
  readonly actualAfter: string | null;
};

/** Checks are the same where their text is. Those whose outcome and value stayed are left out. */
export function checkChanges(before: Report, after: Report): CheckChange[] {
  const texts = new Set([...after.checks, ...before.checks].map(({ text }) => text));
  return [...texts].flatMap((text) => {
    const [old, now] = [before, after].map(({ checks }) => checks.find((check) => check.text === text));
    if (old?.outcome === now?.outcome && old?.actual === now?.actual) return [];
    return [
      {
        text,
        before: old?.outcome,
        after: now?.outcome,
        actualBefore: old?.actual ?? null,
        actualAfter: now?.actual ?? null,
      },
    ];
  });
}
