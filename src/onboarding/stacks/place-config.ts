/** Config and secrets of an instance, into the volume that only its executor mounts. */

import type { Engine } from '../../containers/engine.ts';
import { makeProjectVolume } from '../../containers/networks.ts';
import { runOnce } from '../../containers/one-shot.ts';
import { vpError } from '../../errors/vp-error.ts';
import { instanceProject } from './instance.ts';

/** Which files; their texts go through standard input and stand in no argument list, variable or host file. */
export type PlacedConfig = {
  readonly instanceId: string;
  readonly image: string;
  /** `platform-config.yaml`, `.env`, `executor.key`, `scrape.key`, perhaps `ca.pem`: the text of each. */
  readonly files: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Makes the volume where it is missing and puts the files into it: mode 0600, of the image's user; files that are not named
 * are removed. Throws ENGINE_*, CONFIG_NOT_PLACED.
 */
export async function placeConfig(engine: Engine, { instanceId, image, files, signal }: PlacedConfig): Promise<void> {
  const volume = await makeProjectVolume(engine, instanceProject(instanceId), 'config');
  const end = await runOnce(engine, {
    image,
    words: ['place-files', '--to', '/config'],
    network: 'none',
    volumes: [`${volume}:/config`],
    input: JSON.stringify(files),
    signal,
  });
  if (end.exitCode === 0) return;
  // What it says names files and never quotes them.
  throw vpError('CONFIG_NOT_PLACED', { volume, reason: lastLine(end.stderr) || end.kind.replaceAll('_', ' ') });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}
