/** Colour as a parameter, so that the same text serves terminals, files and tests; `Paint` of terminal/ is one of these. */
export type Paint = {
  readonly passed: (text: string) => string;
  readonly failed: (text: string) => string;
  readonly broken: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
};

const same = (text: string): string => text;

/** No colour. */
export const plainPaint: Paint = { passed: same, failed: same, broken: same, strong: same, faint: same };
