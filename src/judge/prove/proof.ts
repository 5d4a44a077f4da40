/** What judging changed evidence found out: `ReportProof` of report/ before it goes on the wire. */

/** What a check is worth. */
export type CheckProof = {
  readonly text: string;
  readonly line: number;
  /**
   * `proven`: some change is noticed by it alone. `covered`: others notice all that it does. `never_fails`: no other
   * content of what it names makes it fail. `not_tried`: there was no change to try, or no work left for it.
   */
  readonly verdict: 'proven' | 'covered' | 'never_fails' | 'not_tried';
  /** Changes of what it names, and how many of them it noticed. */
  readonly changes: number;
  readonly noticed: number;
  /** Lines of checks that notice the same, a bounded number. */
  readonly coveredBy: readonly number[];
  /** A change that it noticed, in words that hold no value of the response. */
  readonly example: string | undefined;
  readonly advice: string | undefined;
};

/** A part of what came back that no check looks at, with a check that holds now and would look at it. */
export type UncheckedPart = {
  /** JSON pointer (RFC 6901) into the body; `status`, or the beginning of a check of the database or the log. */
  readonly pointer: string;
  /** As a check writes it; undefined for what is not of the body. */
  readonly field: string | undefined;
  /** The value in short. */
  readonly value: string;
  readonly suggestion: string;
};

/** The whole of it. */
export type Proof = {
  /** Changes that were tried. */
  readonly changes: number;
  readonly checks: readonly CheckProof[];
  readonly unchecked: readonly UncheckedPart[];
  /** Why nothing could be proven; undefined where something was. */
  readonly problem: string | undefined;
};
