/** Says which files with a token others may read. */
import type { Environment } from '../../environment/environment.ts';
import type { ErrorWords } from '../../errors/vp-error.ts';
import { exposure } from '../../onboarding/folders/exposed.ts';
import { printableLine } from '../../report/printable.ts';
import { paintFor } from '../../terminal/paint.ts';

/** A warning for each of `folders` that needs one. */
export async function exposures(folders: readonly string[], { platform }: Environment): Promise<readonly ErrorWords[]> {
  const found = await Promise.all(folders.map((folder) => exposure(folder, platform)));
  return found.filter((warning) => warning !== undefined);
}

/** To standard error. */
export function tellExposures(warnings: readonly ErrorWords[], { streams: { stderr }, variables }: Environment): void {
  const paint = paintFor(stderr, variables);
  for (const { code, message, cure } of warnings) {
    stderr.write(
      `${paint.broken('warning:')} ${printableLine(message)} ${paint.faint(`(${code})`)}\n    ${printableLine(cure)}\n`,
    );
  }
}
