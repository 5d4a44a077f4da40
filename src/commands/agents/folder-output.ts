/** What the commands on agents' folders print: changed files, and warnings about files with a token that others may read. */
import { resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import type { ErrorText } from '../../errors/vp-error.ts';
import { createFolderContext, type FolderChange } from '../../onboarding/agent-folders/file-access.ts';
import { findEnvExposure, findTokenExposure } from '../../onboarding/agent-folders/token-protection.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { paintFor } from '../../terminal/paint.ts';

/** Warnings about those of `folders` whose token files other users can read, and whose `.env` git does not ignore. */
export async function findExposures(
  folders: readonly string[],
  environment: Environment,
): Promise<readonly ErrorText[]> {
  const context = createFolderContext(environment);
  const warnings = await Promise.all(
    folders.flatMap((folder) => [
      findTokenExposure(folder, environment.platform),
      findEnvExposure(resolve(environment.cwd, folder), context),
    ]),
  );
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
export function formatFolderChanges(heading: string, changes: readonly FolderChange[], closing: string): string {
  const lines = changes.map(({ file, change, what }) => `  ${change.padEnd(7)}  ${file} (${what})`);
  return `${[heading, ...lines, closing].join('\n')}\n`;
}
