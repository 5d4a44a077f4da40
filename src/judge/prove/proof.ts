/** The result of judging mutated evidence, before it becomes the wire form `ReportProof` of report/. */

export type CheckProof = {
  readonly text: string;
  readonly line: number;
  /**
   * `proven`: it alone fails on some mutation. `covered`: others fail whenever it does. `never_fails`: it passes on every
   * other content of its subject. `not_tried`: there was no mutation to try, or no budget left.
   */
  readonly verdict: 'proven' | 'covered' | 'never_fails' | 'not_tried';
  /** Mutations of its subject, and how many of them made it fail. */
  readonly changes: number;
  readonly noticed: number;
  /** Lines of the covering checks, a bounded number. */
  readonly coveredBy: readonly number[];
  /** The description of a mutation that made it fail; contains no value of the response. */
  readonly example: string | undefined;
  readonly advice: string | undefined;
};

/** A part of the evidence that no check looks at, with a check that would. It passes now, unless the note says that it should. */
export type UncheckedPart = {
  /** JSON pointer (RFC 6901) into the body; `status`, or the beginning of a check of the database or the log. */
  readonly pointer: string;
  /** As a check writes it; undefined for parts that are not of the body. */
  readonly field: string | undefined;
  /** The value in short. */
  readonly value: string;
  readonly suggestion: string;
  /** Why the suggestion is arithmetic and not a pattern, and whether it holds now. */
  readonly note?: string;
};

export type Proof = {
  /** Mutations that were tried. */
  readonly changes: number;
  readonly checks: readonly CheckProof[];
  readonly unchecked: readonly UncheckedPart[];
  /** Why nothing could be proven. */
  readonly problem: string | undefined;
};
