/** Doctor: finds what is wrong after onboarding, with a fix for each problem, and applies the safe fixes on request. */
import { toVpError } from '../../errors/vp-error.ts';
import {
  collectFindings,
  type FixableFindings,
  findWorstOutcome,
  type SetupCheckOutcome,
  type SetupCheckResult,
  toCheckResult,
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

/**
 * Runs every check. Changes nothing unless `fix` is set, and then only what the checks offer; afterwards everything is examined again,
 * because a fix of a later check may have ended the problem of an earlier one.
 */
export async function runDoctor(context: DoctorContext, options: DoctorOptions): Promise<DoctorReport> {
  const { fix, checks: checkList = doctorChecks, onCheck } = options;
  const fixed = new Map<string, readonly string[]>();
  if (fix) {
    for (const check of checkList) {
      onCheck?.(check);
      fixed.set(check.id, await applyFixes(await inspect(check, context)));
    }
  }
  const hasFixed = [...fixed.values()].some((actions) => actions.length > 0);
  const freshContext = fix ? { ...context, state: { isExecutorAwaited: hasFixed } } : context;
  const checks: DoctorCheckResult[] = [];
  for (const check of checkList) {
    onCheck?.(check);
    const findings = await inspect(check, freshContext);
    const fixable = findings.fixes?.length ?? 0;
    checks.push({ ...toCheckResult(check, findings), fixed: fixed.get(check.id) ?? [], fixable });
  }
  return { outcome: findWorstOutcome(checks.map(({ outcome }) => outcome)), checks };
}

function inspect(check: DoctorCheck, context: DoctorContext): Promise<FixableFindings> {
  return collectFindings((checkContext: DoctorContext) => check.inspect(checkContext), context);
}

/** What was done, and what could not be. */
async function applyFixes({ fixes = [] }: FixableFindings): Promise<string[]> {
  const actions: string[] = [];
  for (const { what: description, act } of fixes)
    actions.push(
      await act().then(
        () => description,
        (cause: unknown) => formatFixFailure(description, cause),
      ),
    );
  return actions;
}

function formatFixFailure(description: string, cause: unknown): string {
  return `not fixed: ${description} (${toVpError(cause).message})`;
}
