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
export type Findings = { readonly facts: readonly string[]; readonly problems: readonly Problem[] };

/** How it stands: the worst of the problems. */
export type CheckOutcome = 'ok' | 'warning' | 'problem';

/** A check that was made. */
export type Checked = Findings & { readonly id: string; readonly title: string; readonly outcome: CheckOutcome };

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
export function worst(outcomes: readonly CheckOutcome[]): CheckOutcome {
  if (outcomes.includes('problem')) return 'problem';
  return outcomes.includes('warning') ? 'warning' : 'ok';
}

/** Makes one check. */
export async function made<C>({ id, title, look }: Check<C>, context: C): Promise<Checked> {
  const { facts, problems } = await look(context).catch((thrown: unknown) => ({
    facts: [],
    problems: [problemOf(thrown)],
  }));
  const outcome = worst(problems.map(({ severity }) => (severity === 'error' ? 'problem' : 'warning')));
  return { id, title, outcome, facts, problems };
}
