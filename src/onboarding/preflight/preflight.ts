/** Preflight: checks whether this machine can be onboarded, and collects all problems. */
import { vpError } from '../../errors/vp-error.ts';
import {
  findWorstOutcome,
  runCheck,
  type SetupCheckOutcome,
  type SetupCheckResult,
  type SetupProblem,
} from '../checks/setup-check.ts';
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

/** Throws PREFLIGHT_FAILED with the errors among `problems` as diagnostics. Warnings do not count. */
export function assertNoErrors(problems: readonly SetupProblem[]): void {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const count = errors.length === 1 ? '1 problem' : `${errors.length} problems`;
  throw vpError('PREFLIGHT_FAILED', { count }, { diagnostics: errors });
}
