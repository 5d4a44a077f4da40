import type { FolderChange } from '../../onboarding/folders/place.ts';

/** What happened to files, a line each. */
export function changesText(heading: string, changes: readonly FolderChange[], closing: string): string {
  const lines = changes.map(({ file, change, what }) => `  ${change.padEnd(7)}  ${file} (${what})`);
  return `${[heading, ...lines, closing].join('\n')}\n`;
}
