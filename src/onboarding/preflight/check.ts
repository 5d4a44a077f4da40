/** What a check of this machine is and what it finds; preflight and doctor share the form. */
import { type ErrorCode, errorTable } from '../../errors/table.ts';
import { type Values, VpError, wordsOf } from '../../errors/vp-error.ts';

/** Something that is wrong, and how to clear it. An `error` stands in the way, a `warning` does not. */
export type Problem = {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly cure: string;
};

/** What a check saw: facts in a few words, and everything that is wrong. */
export type Findings = {
  readonly facts: readonly string[];
  readonly problems: readonly Problem[];
  /** It could not be looked at, or need not; a fact says why. */
  readonly isSkipped?: boolean;
};

/** How it stands: the worst of the problems. `skipped`: nobody looked. */
export type CheckOutcome = 'ok' | 'skipped' | 'warning' | 'problem';

/** A check that was made. */
export type Checked = Omit<Findings, 'isSkipped'> & {
  readonly id: string;
  readonly title: string;
  readonly outcome: CheckOutcome;
};

/** One thing to look at. It changes nothing. What it throws becomes its only problem. */
export type Check<C> = {
  readonly id: string;
  readonly title: string;
  look(context: C): Promise<Findings>;
};

/** All is well. */
export function fine(...facts: readonly string[]): Findings {
  return { facts, problems: [] };
}

/** Nobody looked, for that reason. */
export function skipped(reason: string): Findings {
  return { facts: [reason], problems: [], isSkipped: true };
}

/** A row of the error table as a problem; the row says how grave it is. */
export function problem<C extends ErrorCode>(code: C, values: Values<C>): Problem {
  const { message, cure } = wordsOf(code, values);
  return { code, severity: errorTable[code].severity, message, cure };
}

/** What was thrown, as a problem. Anything but a public VpError is thrown on. */
export function problemOf(thrown: unknown): Problem {
  if (!(thrown instanceof VpError) || thrown.row.visibility === 'private') throw thrown;
  const { code, message, cure, row } = thrown;
  return { code, severity: row.severity, message, cure };
}

/** Everything of several looks together. */
export function together(all: readonly Findings[]): Findings {
  return { facts: all.flatMap(({ facts }) => facts), problems: all.flatMap(({ problems }) => problems) };
}

/** The worst of some outcomes. */
export function worst(outcomes: readonly CheckOutcome[]): Exclude<CheckOutcome, 'skipped'> {
  if (outcomes.includes('problem')) return 'problem';
  return outcomes.includes('warning') ? 'warning' : 'ok';
}

/** Looks; what is thrown becomes the only problem. */
export async function lookedAt<C, F extends Findings>(
  look: (context: C) => Promise<F>,
  context: C,
): Promise<F | Findings> {
  return look(context).catch((thrown: unknown) => ({ facts: [], problems: [problemOf(thrown)] }));
}

/** A check with what it found. */
export function checkedAs(
  { id, title }: Pick<Checked, 'id' | 'title'>,
  { facts, problems, isSkipped }: Findings,
): Checked {
  const found = worst(problems.map(({ severity }) => (severity === 'error' ? 'problem' : 'warning')));
  const outcome = found === 'ok' && isSkipped ? 'skipped' : found;
  return { id, title, outcome, facts, problems };
}

/** Makes one check. */
export async function made<C>(check: Check<C>, context: C): Promise<Checked> {
  return checkedAs(check, await lookedAt((asked: C) => check.look(asked), context));
}
