/** The commands in the code blocks of a page, as a reader would copy them. */

/** The lines of indented code blocks, with lines that end in a backslash joined, without comments. */
export function listCodeLines(page: string): string[] {
  return page
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .map((line) => line.trim().replace(/\s+#\s.*$/, ''));
}

/** Splits a shell line into words; quotes are removed. */
export function splitWords(line: string): string[] {
  const words = line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g);
  return [...words].map(([, double, single, word]) => double ?? single ?? word ?? '');
}
