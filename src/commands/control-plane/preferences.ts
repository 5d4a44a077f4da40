/** What `vp use` and `vp login` store: the control plane of the next commands, and an instance for each control plane. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { UserPaths } from '../../environment/paths.ts';
import { vpError } from '../../errors/vp-error.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';
import { isObject } from '../../json/json-object.ts';

/** `instances` is by the URL of the control plane. */
export type Preferences = {
  readonly control_plane?: string;
  readonly instances: Readonly<Record<string, string>>;
};

type Paths = Pick<UserPaths, 'config'>;

/** `<config>/preferences.json`. */
export function getPreferencesFile({ config }: Paths): string {
  return join(config, 'preferences.json');
}

/** Empty without a file. Throws PREFERENCES_UNUSABLE: with other values a command would go to another control plane. */
export function readPreferences(paths: Paths): Preferences {
  const file = getPreferencesFile(paths);
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isPreferences(value)) return value;
  } catch (error) {
    const code = getSystemErrorCode(error);
    if (code === 'ENOENT') return { instances: {} };
    if (code !== undefined) throw vpError('PREFERENCES_UNUSABLE', { file, problem: code }, { cause: error });
  }
  throw vpError('PREFERENCES_UNUSABLE', { file, problem: 'its content is invalid' });
}

/** Replaces the file, with mode 0600. Throws PREFERENCES_UNWRITABLE. */
function writePreferences(paths: Paths, preferences: Preferences): void {
  const file = getPreferencesFile(paths);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileAtomically(file, `${JSON.stringify(preferences, null, 2)}\n`);
  } catch (error) {
    const reason = getSystemErrorCode(error);
    if (reason === undefined) throw error;
    throw vpError('PREFERENCES_UNWRITABLE', { file, reason }, { cause: error });
  }
}

/** Makes `url` the control plane of the next commands. Replaces an unusable file. */
export function preferControlPlane(paths: Paths, url: string): void {
  writePreferences(paths, { ...readUsable(paths), control_plane: url });
}

/** Makes `instance` the one in use at `url`; undefined: none. Replaces an unusable file. */
export function preferInstance(paths: Paths, url: string, instance: string | undefined): void {
  const { instances, ...rest } = readUsable(paths);
  const { [url]: _previous, ...others } = instances;
  writePreferences(paths, { ...rest, instances: instance === undefined ? others : { ...others, [url]: instance } });
}

/** After a sign-out the next commands no longer go to `url`. Nothing to remember leaves no file. */
export function forgetControlPlane(paths: Paths, url: string): void {
  const { control_plane: current, instances } = readUsable(paths);
  const { [url]: previous, ...others } = instances;
  if (current !== url && previous === undefined) return;
  const remaining = current === url ? undefined : current;
  if (remaining === undefined && Object.keys(others).length === 0) clearPreferences(paths);
  else writePreferences(paths, { ...(remaining === undefined ? {} : { control_plane: remaining }), instances: others });
}

export function clearPreferences(paths: Paths): void {
  rmSync(getPreferencesFile(paths), { force: true });
}

function readUsable(paths: Paths): Preferences {
  try {
    return readPreferences(paths);
  } catch {
    return { instances: {} };
  }
}

function isPreferences(value: unknown): value is Preferences {
  if (!isObject(value) || !('instances' in value)) return false;
  const { instances } = value;
  if (typeof instances !== 'object' || instances === null) return false;
  const isEveryInstanceText = Object.values(instances).every((instance) => typeof instance === 'string');
  return isEveryInstanceText && (!('control_plane' in value) || typeof value.control_plane === 'string');
}
