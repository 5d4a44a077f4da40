/**
 * What a check kind is. A new kind is a file in `kinds/` that exports one `CheckKind`, its line in `kinds.ts`, and a test:
 * parser, judge, proof, report, guide and reference iterate over that list. See docs/contributing/adding-a-check.md.
 */
import type { ErrorCode } from '../errors/table.ts';
import type { ErrorValues } from '../errors/vp-error.ts';
import type { Comparison } from './forms/decimal.ts';
import type { Observation } from './observation.ts';
import type { DocumentRequest } from './open-api/document.ts';
import type { Subject, UncheckedCandidate } from './subjects/subject.ts';

/** Reports a problem with the text from offset `start` up to, not including, `end` (UTF-16 units). */
export type ReportProblem = <C extends ErrorCode>(code: C, start: number, end: number, values: ErrorValues<C>) => void;

/** A parsed check. Only its own kind knows what else it holds. */
export type Check = { readonly kind: string };

/** The evidence that a check reads. */
export type CheckSource = 'response' | 'database' | 'log';

/** The result of one check; `expected` and `actual` are short texts for people, bounded in length. */
export type CheckOutcome = {
  readonly passed: boolean;
  readonly expected: string;
  readonly actual: string;
  /** JSON pointer (RFC 6901) into the body, where the check read a value of it. */
  readonly pointer?: string;
  /** Pointers of the other values that it read. */
  readonly otherPointers?: readonly string[];
};

/**
 * What a check reads of a body that is a list: the element with this index, their number alone, or each element alone: it holds as soon as
 * it holds for a list of one of them.
 */
export type ElementsRead = number | 'count' | 'each';

/** `subject` is what the evidence does not tell, such as `which lines are errors`. `isFinal`: more of it would not help. */
export type EvidenceGap = {
  readonly subject: string;
  readonly problem: string;
  readonly cure: string;
  readonly isFinal: boolean;
};

/** A check kind. `C` is the result of its parser and holds all that judging needs, compiled. */
export type CheckKind<C extends Check = Check> = {
  /** Unique; `kind` of the report's checks. */
  readonly kind: C['kind'];
  /** As people write it, such as `body has <field> matching <regex>`. */
  readonly form: string;
  readonly meaning: string;
  /** A complete check of this kind. */
  readonly example: string;
  /** Checks of the log and the database need a layer that has them, and are counted separately. */
  readonly looksAt: CheckSource;
  /** True when it is part of `assertions_enforced_count`: every kind that looks at the response's content. */
  readonly counted: boolean;
  /** True where status line and headers are enough: such a check is judged although the body did not arrive. */
  readonly needsHeadOnly?: true;
  /** True for checks of the body as text, which need not be JSON. */
  readonly readsText?: true;
  /** True for checks of the time that the response took, which its content does not explain. */
  readonly readsTime?: true;
  /** True where the layer that has nothing but the response refuses the kind. */
  readonly refusedInPlain?: true;
  /** The sign with which a check of the kind compares a value of the response; the layer with nothing but the response refuses it. */
  findComparison?(check: C): Comparison | undefined;
  /** The word after the field, for kinds of the form `body has <field> <keyword> …`. */
  readonly keyword?: string;
  /** Words that people write instead of `keyword`; the parser suggests the correct one. */
  readonly mistakes?: readonly string[];
  /** undefined: not of this form. `'refused'`: of this form, and each problem was reported. `text` is trimmed. */
  parse(text: string, report: ReportProblem): C | 'refused' | undefined;
  /** Pure, never throws, fast: called for every check of every run. */
  judge(check: C, observation: Observation): CheckOutcome;
  /** So that a list that grows needs not be judged again as a whole; undefined where the check reads all of it, or the time. */
  getElementsRead?(check: C): ElementsRead | undefined;
  /** Why the evidence that is there does not decide this check. Such a check is not judged; its `judge` does not pass. */
  findGap?(check: C, observation: Observation): EvidenceGap | undefined;
  /** For kinds of the log: true where the check fails and no further line could change that, so that nothing waits for one. */
  isFailureFinal?(check: C, observation: Observation): boolean;

  /** For the kind that checks the status: the expected code, or class such as `2xx`. Its failure comes before all others; a scenario has one such check. */
  expectedStatus?(check: C): string;
  /** For kinds of the database: the name of the query; undefined where the check relies on there being only one. */
  getQuery?(check: C): string | undefined;
  /** For kinds of the database: the check with the name of its query. */
  withQuery?(check: C, query: string): C;

  /** For kinds that compare with a file of the test folder: its name, as written. */
  getFile?(check: C): string;
  /** The check with the content of its file; a text says why the content cannot be used. `request` is the one that is answered. */
  withFile?(check: C, content: string, request?: DocumentRequest): C | string;

  /** For `vp prove`: what the check names, and how that could differ. Undefined where there is nothing to change. */
  getSubject?(check: C, observation: Observation, outcome: CheckOutcome): Subject | undefined;
  /** For `vp prove`: why nothing shows that the check can fail, where it has no subject. */
  explainUnprovable?(check: C, observation: Observation): string | undefined;
  /** For `vp prove`: true where any content of its subject satisfies the check. */
  isPresenceCheck?(check: C): boolean;
  /** For `vp prove`: the cost of judging per character read, where comparing texts is 1 (the default). */
  readonly readingCost?: number;
  /** For `vp prove`: what none of the scenario's checks looks at although this kind could, with checks that would. */
  findUnchecked?(checks: readonly Check[], observation: Observation): readonly UncheckedCandidate[];
};
