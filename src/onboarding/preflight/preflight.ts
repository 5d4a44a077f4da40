/** Preflight: looks whether onboarding can go through on this machine, and collects every problem before it stops. */
import { vpError } from '../../errors/vp-error.ts';
import { type Checked, type CheckOutcome, made, worst } from './check.ts';
import { preflightChecks } from './checks.ts';
import type { PreflightContext } from './context.ts';

/** All checks, in their order; `outcome` is the worst of them. */
export type PreflightReport = { readonly outcome: CheckOutcome; readonly checks: readonly Checked[] };

/** Makes every check; nothing is changed. Throws only what no check can have foreseen, and the reason of an aborted signal. */
export async function preflight(context: PreflightContext): Promise<PreflightReport> {
  const checks: Checked[] = [];
  for (const check of preflightChecks) {
    context.signal?.throwIfAborted();
    context.onCheck?.(check, undefined);
    const checked = await made(check, context);
    context.onCheck?.(check, checked);
    checks.push(checked);
  }
  return { outcome: worst(checks.map(({ outcome }) => outcome)), checks };
}

/** Throws PREFLIGHT_FAILED, with every problem as a diagnostic, unless nothing is in the way. */
export function demandReady({ checks }: PreflightReport): void {
  const inTheWay = checks.flatMap(({ problems }) => problems).filter(({ severity }) => severity === 'error');
  if (inTheWay.length === 0) return;
  const count = inTheWay.length === 1 ? '1 problem is' : `${inTheWay.length} problems are`;
  throw vpError('PREFLIGHT_FAILED', { count }, { diagnostics: inTheWay });
}
