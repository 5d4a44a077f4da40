/** Opens an address in this machine's browser. */
import { execa } from 'execa';
import type { Environment } from '../environment/environment.ts';

type BrowserEnvironment = Pick<Environment, 'platform' | 'variables'>;

/** The command that opens addresses; undefined without a desktop. */
function findOpener({
  platform,
  variables,
}: BrowserEnvironment): readonly [file: string, ...args: string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  // `start` is part of the shell, which would read `&` in an address as the end of the command.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return variables.DISPLAY || variables.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** True when a command was started with the address, which must be http or https. It outlives this process. Never rejects. */
export async function openBrowser(environment: BrowserEnvironment, url: string): Promise<boolean> {
  const opener = findOpener(environment);
  if (!opener || !/^https?:\/\//.test(url)) return false;
  const [file, ...args] = opener;
  const started = execa(file, [...args, url], {
    detached: true,
    stdio: 'ignore',
    reject: false,
    env: { ...environment.variables },
    extendEnv: false,
    cleanup: false,
  });
  started.nodeChildProcess.unref();
  return started.pid !== undefined;
}
