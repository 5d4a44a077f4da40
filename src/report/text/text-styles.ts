/** Styles are a parameter, so that the same code renders for terminals, files and tests. */
export type TextStyles = {
  /** The width that sentences are wrapped to, in columns; infinite for files, where lines are not wrapped. */
  readonly proseWidth: number;
  readonly passed: (text: string) => string;
  readonly failed: (text: string) => string;
  readonly broken: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
};

const unstyled = (text: string): string => text;

export const plainStyles: TextStyles = {
  proseWidth: Number.POSITIVE_INFINITY,
  passed: unstyled,
  failed: unstyled,
  broken: unstyled,
  strong: unstyled,
  faint: unstyled,
};
