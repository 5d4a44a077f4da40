/** Writes config and secrets of an executor or the router into the volume that only it mounts. */
import type { ContainerEngine } from '../../containers/engine.ts';
import { createProjectVolume } from '../../containers/engine-resources.ts';
import { runOneOffContainer } from '../../containers/one-off-container.ts';
import { toInstanceProjectName } from '../../contract/platform-names.ts';
import { vpError } from '../../errors/vp-error.ts';

/** The files are passed on standard input: they are in no argument list, environment variable or host file. */
type ConfigFilesOptions = {
  readonly image: string;
  /** Text by name: `platform-config.yaml`, `.env`, `executor.key`, `scrape.key`, perhaps `ca.pem`. */
  readonly files: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
};

export type InstanceConfigOptions = ConfigFilesOptions & { readonly instanceId: string };

/**
 * Creates the volume if it is missing and writes the files: mode 0600, owned by the image's user. Other files in it are removed.
 * Throws ENGINE_*, CONFIG_NOT_PLACED.
 */
export function writeInstanceConfig(
  engine: ContainerEngine,
  { instanceId, ...options }: InstanceConfigOptions,
): Promise<void> {
  return writeProjectConfig(engine, { project: toInstanceProjectName(instanceId), ...options });
}

/** The same for any compose project of the platform. Throws ENGINE_*, CONFIG_NOT_PLACED. */
export async function writeProjectConfig(
  engine: ContainerEngine,
  { project, image, files, signal }: ConfigFilesOptions & { readonly project: string },
): Promise<void> {
  const volume = await createProjectVolume(engine, project, 'config');
  const result = await runOneOffContainer(engine, {
    image,
    args: ['place-files', '--to', '/config'],
    network: 'none',
    volumes: [`${volume}:/config`],
    input: JSON.stringify(files),
    signal,
  });
  if (result.exitCode === 0) return;
  // Its messages name files and never quote their content.
  throw vpError('CONFIG_NOT_PLACED', {
    volume,
    reason: lastErrorLine(result.stderr) || result.kind.replaceAll('_', ' '),
  });
}

function lastErrorLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}
