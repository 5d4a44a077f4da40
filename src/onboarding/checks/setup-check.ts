/** Checks of a machine and their findings, for preflight and doctor. */
import { type ErrorCode, errorTable } from '../../errors/table.ts';
import { type ErrorValues, formatError, VpError } from '../../errors/vp-error.ts';

/** Something that is wrong, and how to fix it. Only an `error` prevents onboarding. */
export type SetupProblem = {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly cure: string;
};

/** Result of a check: short facts, and every problem. */
export type SetupFindings = {
  readonly facts: readonly string[];
  readonly problems: readonly SetupProblem[];
  /** Not checked; a fact says why. */
  readonly isSkipped?: boolean;
};

/** A change that is safe to make without asking. `what` says what was done, once it is. */
export type SafeFix = { readonly what: string; act(): Promise<unknown> };

/** Findings with the fixes that the check offers. */
export type FixableFindings = SetupFindings & { readonly fixes?: readonly SafeFix[] };

/** The worst problem decides. */
export type SetupCheckOutcome = 'ok' | 'skipped' | 'warning' | 'problem';

export type SetupCheckResult = Omit<SetupFindings, 'isSkipped'> & {
  readonly id: string;
  readonly title: string;
  readonly outcome: SetupCheckOutcome;
};

/** One check. It changes nothing. A VpError that it throws becomes its only problem. */
export type SetupCheck<C> = {
  readonly id: string;
  readonly title: string;
  inspect(context: C): Promise<SetupFindings>;
};

export function checkPassed(...facts: readonly string[]): SetupFindings {
  return { facts, problems: [] };
}

/** One of the facts says why. */
export function checkSkipped(...facts: readonly [string, ...string[]]): SetupFindings {
  return { facts, problems: [], isSkipped: true };
}

export function checkFailed(...problems: readonly SetupProblem[]): SetupFindings {
  return { facts: [], problems };
}

/** A problem from the error table, which also says its severity. */
export function createProblem<C extends ErrorCode>(code: C, values: ErrorValues<C>): SetupProblem {
  const { message, cure } = formatError(code, values);
  return { code, severity: errorTable[code].severity, message, cure };
}

/** A public VpError as a problem. Rethrows anything else. */
export function toProblem(cause: unknown): SetupProblem {
  if (!(cause instanceof VpError) || cause.row.visibility === 'private') throw cause;
  const { code, message, cure, row } = cause;
  return { code, severity: row.severity, message, cure };
}

/** The findings of several checks as one, which is skipped if all of them are. */
export function mergeFindings(findings: readonly FixableFindings[]): FixableFindings {
  const fixes = findings.flatMap(({ fixes = [] }) => fixes);
  return {
    facts: findings.flatMap(({ facts }) => facts),
    problems: findings.flatMap(({ problems }) => problems),
    ...(findings.length > 0 && findings.every(({ isSkipped }) => isSkipped) ? { isSkipped: true } : {}),
    ...(fixes.length === 0 ? {} : { fixes }),
  };
}

export function findWorstOutcome(outcomes: readonly SetupCheckOutcome[]): Exclude<SetupCheckOutcome, 'skipped'> {
  if (outcomes.includes('problem')) return 'problem';
  return outcomes.includes('warning') ? 'warning' : 'ok';
}

/** Runs a check; an error becomes its only problem. */
export async function collectFindings<C, F extends SetupFindings>(
  inspect: (context: C) => Promise<F>,
  context: C,
): Promise<F | SetupFindings> {
  return inspect(context).catch((cause: unknown) => ({ facts: [], problems: [toProblem(cause)] }));
}

export function toCheckResult(
  { id, title }: Pick<SetupCheckResult, 'id' | 'title'>,
  { facts, problems, isSkipped }: SetupFindings,
): SetupCheckResult {
  const problemOutcome = findWorstOutcome(
    problems.map(({ severity }) => (severity === 'error' ? 'problem' : 'warning')),
  );
  const outcome = problemOutcome === 'ok' && isSkipped ? 'skipped' : problemOutcome;
  return { id, title, outcome, facts, problems };
}

export async function runCheck<C>(check: SetupCheck<C>, context: C): Promise<SetupCheckResult> {
  return toCheckResult(check, await collectFindings((checkContext: C) => check.inspect(checkContext), context));
}
