import type { Report, ReportCheck } from '../../../report/report.ts';

/** A check whose result changed. An outcome is undefined where the check did not exist. */
export type CheckChange = {
  readonly text: string;
  readonly before: ReportCheck['outcome'] | undefined;
  readonly after: ReportCheck['outcome'] | undefined;
  readonly actualBefore: string | null;
  readonly actualAfter: string | null;
};

/** Returns the checks whose outcome or actual value differs. Checks are matched by their text. */
export function diffChecks(before: Report, after: Report): CheckChange[] {
  const texts = new Set([...after.checks, ...before.checks].map(({ text }) => text));
  return [...texts].flatMap((text) => {
    const [checkBefore, checkAfter] = [before, after].map(({ checks }) => checks.find((check) => check.text === text));
    if (checkBefore?.outcome === checkAfter?.outcome && checkBefore?.actual === checkAfter?.actual) return [];
    return [
      {
        text,
        before: checkBefore?.outcome,
        after: checkAfter?.outcome,
        actualBefore: checkBefore?.actual ?? null,
        actualAfter: checkAfter?.actual ?? null,
      },
    ];
  });
}
