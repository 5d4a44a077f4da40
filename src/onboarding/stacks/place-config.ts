/** Config and secrets of an executor or the router, into the volume that only it mounts. */
import type { Engine } from '../../containers/engine.ts';
import { makeProjectVolume } from '../../containers/networks.ts';
import { runOnce } from '../../containers/one-shot.ts';
import { vpError } from '../../errors/vp-error.ts';
import { instanceProject } from './instance.ts';

/** Which files; their texts go through standard input and stand in no argument list, variable or host file. */
type Placed = {
  readonly image: string;
  /** `platform-config.yaml`, `.env`, `executor.key`, `scrape.key`, perhaps `ca.pem`: the text of each. */
  readonly files: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
};

/** Of an instance. */
export type PlacedConfig = Placed & { readonly instanceId: string };

/**
 * Makes the volume where it is missing and puts the files into it: mode 0600, of the image's user; files that are not named
 * are removed. Throws ENGINE_*, CONFIG_NOT_PLACED.
 */
export function placeConfig(engine: Engine, { instanceId, ...placed }: PlacedConfig): Promise<void> {
  return placeProjectConfig(engine, { project: instanceProject(instanceId), ...placed });
}

/** The same for any compose project of ours, such as the router's. Throws ENGINE_*, CONFIG_NOT_PLACED. */
export async function placeProjectConfig(
  engine: Engine,
  { project, image, files, signal }: Placed & { readonly project: string },
): Promise<void> {
  const volume = await makeProjectVolume(engine, project, 'config');
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
