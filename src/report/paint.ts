/** Colour as a parameter, so that the same text serves terminals, files and tests. */
export type Paint = {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly strong: (text: string) => string;
};

const same = (text: string): string => text;

/** No colour. */
export const plainPaint: Paint = { good: same, bad: same, warn: same, dim: same, strong: same };

function sgr(begin: number, end: number): (text: string) => string {
  return (text) => `\u001b[${begin}m${text}\u001b[${end}m`;
}

/** Colours that every terminal has (ECMA-48 SGR); only the default palette, so that light and dark both read well. */
export const ansiPaint: Paint = {
  good: sgr(32, 39),
  bad: sgr(31, 39),
  warn: sgr(33, 39),
  dim: sgr(2, 22),
  strong: sgr(1, 22),
};
