/** What the commands on agents' folders print: changed files, and warnings about files with a token that others may read. */
import type { Environment } from '../../environment/environment.ts';
import type { ErrorText } from '../../errors/vp-error.ts';
import type { FolderChange } from '../../onboarding/agent-folders/file-access.ts';
import { findTokenExposure } from '../../onboarding/agent-folders/token-protection.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { paintFor } from '../../terminal/paint.ts';

/** Warnings about those of `folders` whose token files other users can read. */
export async function findExposures(
  folders: readonly string[],
  { platform }: Environment,
): Promise<readonly ErrorText[]> {
  const warnings = await Promise.all(folders.map((folder) => findTokenExposure(folder, platform)));
  return warnings.filter((warning) => warning !== undefined);
}

export function printExposureWarnings(
  warnings: readonly ErrorText[],
  { streams: { stderr }, variables }: Environment,
): void {
  const paint = paintFor(stderr, variables);
  for (const { code, message, cure } of warnings) {
    stderr.write(
      `${paint.broken('warning:')} ${escapeUnsafeLine(message)} ${paint.faint(`(${code})`)}\n    ${escapeUnsafeLine(cure)}\n`,
    );
  }
}

/** The changed files, one per line, between `heading` and `closing`. */
export function formatChanges(heading: string, changes: readonly FolderChange[], closing: string): string {
  const lines = changes.map(({ file, change, what }) => `  ${change.padEnd(7)}  ${file} (${what})`);
  return `${[heading, ...lines, closing].join('\n')}\n`;
}
