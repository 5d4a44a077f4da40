/** Doctor: finds what is wrong after onboarding, with a fix for each problem, and applies the safe fixes on request. */
import { toVpError } from '../../errors/vp-error.ts';
import {
  collectFindings,
  type FixableFindings,
  type SetupCheckOutcome,
  type SetupCheckResult,
  toCheckResult,
  worstOutcome,
} from '../checks/setup-check.ts';
import { doctorChecks } from './checks.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';

/** `fixed`: what was done; `fixable`: how many fixes are possible. */
export type DoctorCheckResult = SetupCheckResult & { readonly fixed: readonly string[]; readonly fixable: number };

/** All checks, in their order; `outcome` is the worst of them. */
export type DoctorReport = { readonly outcome: SetupCheckOutcome; readonly checks: readonly DoctorCheckResult[] };

/** `checks` is for tests. */
export type DoctorOptions = {
  readonly fix: boolean;
  readonly checks?: readonly DoctorCheck[];
  readonly onCheck?: (check: { readonly title: string }) => void;
};

/** Runs every check. Changes nothing unless `fix` is set, and then only what the checks offer. */
export async function runDoctor(context: DoctorContext, options: DoctorOptions): Promise<DoctorReport> {
  const { fix, checks: checkList = doctorChecks, onCheck } = options;
  const checks: DoctorCheckResult[] = [];
  for (const check of checkList) {
    onCheck?.(check);
    checks.push(await runDoctorCheck(check, context, fix));
  }
  return { outcome: worstOutcome(checks.map(({ outcome }) => outcome)), checks };
}

async function runDoctorCheck(check: DoctorCheck, context: DoctorContext, fix: boolean): Promise<DoctorCheckResult> {
  const inspect = (): Promise<FixableFindings> =>
    collectFindings((checkContext: DoctorContext) => check.inspect(checkContext), context);
  const findings = await inspect();
  const { fixes = [] } = findings;
  if (!fix || fixes.length === 0) return { ...toCheckResult(check, findings), fixed: [], fixable: fixes.length };
  const fixed: string[] = [];
  for (const { what: description, act } of fixes)
    fixed.push(
      await act().then(
        () => description,
        (cause: unknown) => formatFixFailure(description, cause),
      ),
    );
  const findingsAfter = await inspect();
  return { ...toCheckResult(check, findingsAfter), fixed, fixable: findingsAfter.fixes?.length ?? 0 };
}

function formatFixFailure(description: string, cause: unknown): string {
  return `not fixed: ${description} (${toVpError(cause).message})`;
}
