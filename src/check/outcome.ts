/** What became of one check; `expected` and `actual` are short texts for people, bounded in length. */
export type Outcome = {
  readonly passed: boolean;
  readonly expected: string;
  readonly actual: string;
  /** JSON pointer (RFC 6901) of the value that was looked at, where there is one. */
  readonly pointer?: string;
};
