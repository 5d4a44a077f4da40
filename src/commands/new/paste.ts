/** Commands that people paste: with the flags that this folder needs. */

/** `purpose` says what it is for. */
export type NextCommand = { readonly command: string; readonly purpose: string };

/** A word that the shells of Unix and PowerShell read back unchanged. */
export function quoteWord(word: string): string {
  if (/^[\w./:=@%+,-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
}

export function formatCommandLine(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

export type LocalFlagValues = {
  readonly 'product-dir': string | undefined;
  readonly 'test-dir': string | undefined;
  readonly 'base-url': string | undefined;
  readonly log: string | undefined;
  readonly ca: string | undefined;
};

/** The flags of `vp run --local` and its relatives, in one order. */
export function listLocalFlags(values: LocalFlagValues): string[] {
  const names = ['base-url', 'product-dir', 'test-dir', 'log', 'ca'] as const;
  return names.flatMap((name) => (values[name] === undefined ? [] : [`--${name}`, values[name]]));
}
