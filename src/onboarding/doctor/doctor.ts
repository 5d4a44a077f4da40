/** Doctor: everything that can be wrong after onboarding, each with its cure; what is safe it clears itself when asked to. */
import { asVpError } from '../../errors/vp-error.ts';
import { type Checked, type CheckOutcome, checkedAs, lookedAt, worst } from '../preflight/check.ts';
import { doctorChecks } from './checks.ts';
import type { DoctorCheck, DoctorContext, DoctorFindings } from './context.ts';

/** `fixed`: what was done; `fixable`: how much could be. */
export type DoctorChecked = Checked & { readonly fixed: readonly string[]; readonly fixable: number };

/** All checks, in their order; `outcome` is the worst of them. */
export type DoctorReport = { readonly outcome: CheckOutcome; readonly checks: readonly DoctorChecked[] };

/** How it is done. `checks` are all unless a test says otherwise. */
export type DoctorOptions = {
  readonly fix: boolean;
  readonly checks?: readonly DoctorCheck[];
  readonly onCheck?: (check: { readonly title: string }) => void;
};

/** Makes every check. Changes nothing unless `fix`, and then only what the checks offer. */
export async function doctor(context: DoctorContext, options: DoctorOptions): Promise<DoctorReport> {
  const { fix, checks: all = doctorChecks, onCheck } = options;
  const checks: DoctorChecked[] = [];
  for (const check of all) {
    onCheck?.(check);
    checks.push(await examined(check, context, fix));
  }
  return { outcome: worst(checks.map(({ outcome }) => outcome)), checks };
}

async function examined(check: DoctorCheck, context: DoctorContext, fix: boolean): Promise<DoctorChecked> {
  const look = (): Promise<DoctorFindings> => lookedAt((asked: DoctorContext) => check.look(asked), context);
  const before = await look();
  const { fixes = [] } = before;
  if (!fix || fixes.length === 0) return { ...checkedAs(check, before), fixed: [], fixable: fixes.length };
  const fixed: string[] = [];
  for (const { what, act } of fixes)
    fixed.push(
      await act().then(
        () => what,
        (thrown: unknown) => refusal(what, thrown),
      ),
    );
  const after = await look();
  return { ...checkedAs(check, after), fixed, fixable: after.fixes?.length ?? 0 };
}

function refusal(what: string, thrown: unknown): string {
  return `could not be done: ${what} (${asVpError(thrown).message})`;
}
