/**
 * What a check kind is. Adding one takes a file here that exports a `CheckKind`, its line in kinds.ts, and a test; the
 * parser, the guide and the judge follow from the list.
 */
import type { ErrorCode } from '../errors/table.ts';
import type { Values } from '../errors/vp-error.ts';
import type { Observed } from './observed.ts';
import type { Outcome } from './outcome.ts';

/** Takes a problem with the text from offset `start` up to, not including, `end` (UTF-16 units). */
export type ReportProblem = <C extends ErrorCode>(code: C, start: number, end: number, values: Values<C>) => void;

/** A check kind. `C` is what its parser makes; it holds all that judging needs, compiled. */
export type CheckKind<C extends { readonly kind: string }> = {
  readonly kind: C['kind'];
  /** As people write it, such as `body has <field> matching <regex>`. */
  readonly form: string;
  readonly meaning: string;
  readonly example: string;
  /** What it looks at. Checks of the log and the database need a layer that has them, and are counted on their own. */
  readonly looksAt: 'response' | 'database' | 'log';
  /** True when it is part of `assertions_enforced_count`: every kind that looks at the response's content. */
  readonly counted: boolean;
  /** True where the layer that sees nothing but the response refuses the kind; it is not tried there. */
  readonly refusedInPlain?: true;
  /** The word behind the field, for kinds of the form `body has <field> <keyword> …`. */
  readonly keyword?: string;
  /** Words people write where `keyword` is meant; each is answered with the right one. */
  readonly mistakes?: readonly string[];
  /** undefined: not of this form. `'refused'`: of this form, and each problem was reported. `text` is trimmed. */
  parse(text: string, report: ReportProblem): C | 'refused' | undefined;
  /** Pure and fast: called for every check of every run. */
  judge(check: C, observed: Observed): Outcome;
};
