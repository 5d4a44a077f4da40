/** Colour as a parameter, so that the same text serves terminals, files and tests; `Paint` of terminal/ is one of these. */
export type Paint = {
  /** Columns that sentences are wrapped to; infinite where lines are to stay whole, as in files. */
  readonly proseWidth: number;
  readonly passed: (text: string) => string;
  readonly failed: (text: string) => string;
  readonly broken: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
};

const same = (text: string): string => text;

/** No colour. */
export const plainPaint: Paint = {
  proseWidth: Number.POSITIVE_INFINITY,
  passed: same,
  failed: same,
  broken: same,
  strong: same,
  faint: same,
};
