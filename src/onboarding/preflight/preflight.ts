/** Preflight: checks whether this machine can be onboarded, and collects all problems. */
import { vpError } from '../../errors/vp-error.ts';
import { findWorstOutcome, runCheck, type SetupCheckOutcome, type SetupCheckResult } from '../checks/setup-check.ts';
import { preflightChecks } from './checks.ts';
import type { PreflightContext } from './context.ts';

/** All checks, in their order; `outcome` is the worst of them. */
export type PreflightReport = { readonly outcome: SetupCheckOutcome; readonly checks: readonly SetupCheckResult[] };

/** Changes nothing. Throws only unexpected errors, and the reason of an aborted signal. */
export async function runPreflightChecks(context: PreflightContext): Promise<PreflightReport> {
  const checks: SetupCheckResult[] = [];
  for (const check of preflightChecks) {
    context.signal?.throwIfAborted();
    context.onCheck?.(check, undefined);
    const checked = await runCheck(check, context);
    context.onCheck?.(check, checked);
    checks.push(checked);
  }
  return { outcome: findWorstOutcome(checks.map(({ outcome }) => outcome)), checks };
}

/** Throws PREFLIGHT_FAILED with the errors as diagnostics. Warnings do not count. */
export function assertReady({ checks }: PreflightReport): void {
  const blockingProblems = checks.flatMap(({ problems }) => problems).filter(({ severity }) => severity === 'error');
  if (blockingProblems.length === 0) return;
  const count = blockingProblems.length === 1 ? '1 problem' : `${blockingProblems.length} problems`;
  throw vpError('PREFLIGHT_FAILED', { count }, { diagnostics: blockingProblems });
}
