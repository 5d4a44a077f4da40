/**
 * The control plane and the instance of a command that does not name them. Precedence: the flag, its variable, the folder
 * (an agent's folder is connected to an instance), `vp use` or `vp login`, the default.
 */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { InheritedValue, InheritedValues } from '../../command-line/inherited-values.ts';
import { parseLine } from '../../command-line/parse-line.ts';
import type { Environment } from '../../environment/environment.ts';
import { controlPlaneFlags, instanceFlag } from './control-plane-flags.ts';
import { type Preferences, readPreferences } from './preferences.ts';

type ValuesEnvironment = Pick<Environment, 'paths' | 'cwd' | 'random' | 'variables'>;
type FolderValues = { readonly folder: string; readonly controlPlane: string; readonly instance: string | undefined };

/** What the folder and `vp use` say. */
export async function readInheritedValues(environment: ValuesEnvironment): Promise<InheritedValues> {
  const folder = await readFolderValues(environment);
  let stored: Preferences | undefined;
  const preferences = (): Preferences => (stored ??= readPreferences(environment.paths));
  const ofFolder = (value: string): InheritedValue => ({
    value,
    source: 'folder',
    label: `the folder ${folder?.folder} is connected to it`,
  });
  const ofPreferences = (value: string | undefined): InheritedValue | undefined =>
    value === undefined ? undefined : { value, source: 'preference', label: 'from `vp use` or `vp login`' };
  return {
    controlPlane: () => (folder ? ofFolder(folder.controlPlane) : ofPreferences(preferences().control_plane)),
    instance: (controlPlane) => {
      const isFolders = folder?.instance !== undefined && folder.controlPlane === controlPlane;
      return isFolders ? ofFolder(folder.instance) : ofPreferences(preferences().instances[controlPlane]);
    },
  };
}

/** The record of the nearest folder upwards that is connected to one control plane. It is in this user's own configuration. */
async function readFolderValues(environment: ValuesEnvironment): Promise<FolderValues | undefined> {
  const { paths, cwd, random, variables } = environment;
  if (!existsSync(join(paths.config, 'connections'))) return undefined;
  const { readRecord } = await import('../../onboarding/agent-folders/folder-record.ts');
  const context = { config: paths.config, random, variables };
  const start = await realpath(cwd).catch(() => cwd);
  for (let folder = start; ; folder = dirname(folder)) {
    const { connections } = await readRecord(context, folder);
    const [first] = connections;
    if (first) {
      const isOneControlPlane = connections.every((other) => other.control_plane === first.control_plane);
      const isOneInstance = connections.every((other) => other.instance === first.instance);
      if (!isOneControlPlane) return undefined;
      return { folder, controlPlane: first.control_plane, instance: isOneInstance ? first.instance : undefined };
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** What a command without flags uses, and where each value comes from. */
export type CurrentValues = {
  readonly controlPlane: InheritedValue;
  readonly instance: InheritedValue | undefined;
};

export async function readCurrentValues(environment: ValuesEnvironment): Promise<CurrentValues> {
  const declaration = { name: 'use', positionals: [], flags: { ...controlPlaneFlags, instance: instanceFlag } };
  const { origins } = parseLine(declaration, [], environment.variables, await readInheritedValues(environment));
  const controlPlane = origins.find(({ name }) => name === 'control plane');
  const { default: value } = controlPlaneFlags['control-plane'];
  return {
    controlPlane: controlPlane ?? { value, source: 'default', label: 'the default' },
    instance: origins.find(({ name }) => name === 'instance'),
  };
}
