import { join } from 'node:path';

/** Where the product keeps files of a user (XDG base directory specification; the platform's own places elsewhere). */
export type UserPaths = {
  /** Stores and keys of `vp serve` and `vp executor`. */
  readonly data: string;
  /** Credentials of control planes, one 0600 file each. */
  readonly config: string;
  /** What can be made again. */
  readonly cache: string;
};

type Variables = Readonly<Record<string, string | undefined>>;

function baseFolder(
  variables: Variables,
  platform: NodeJS.Platform,
  home: string,
  name: 'data' | 'config' | 'cache',
): string {
  const xdg = variables[`XDG_${name.toUpperCase()}_HOME`];
  if (xdg?.startsWith('/')) return xdg;
  if (platform === 'win32') return variables.LOCALAPPDATA ?? join(home, 'AppData', 'Local');
  if (platform === 'darwin') return join(home, 'Library', name === 'cache' ? 'Caches' : 'Application Support');
  return join(home, name === 'data' ? '.local/share' : `.${name}`);
}

/** The three folders, not yet created. `VP_DATA` names the data folder itself. */
export function resolvePaths(variables: Variables, platform: NodeJS.Platform, home: string): UserPaths {
  const suffix = (name: 'data' | 'config' | 'cache'): string =>
    platform === 'win32' || platform === 'darwin' ? join('vp', name) : 'vp';
  const folder = (name: 'data' | 'config' | 'cache'): string =>
    join(baseFolder(variables, platform, home, name), suffix(name));
  return { data: variables.VP_DATA || folder('data'), config: folder('config'), cache: folder('cache') };
}
