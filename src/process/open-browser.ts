/** Opens an address in the browser of whoever sits at this machine. */
import { execa } from 'execa';
import type { Environment } from '../environment/environment.ts';

type Place = Pick<Environment, 'platform' | 'variables'>;

/** The program that opens addresses here; undefined where there is no desktop. */
function opener({ platform, variables }: Place): readonly [file: string, ...words: string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  // `start` is part of the shell, which would read `&` in an address as the end of the command.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return variables.DISPLAY || variables.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** True when a program took the address (of http or https); it lives on by itself. Never rejects. */
export async function openBrowser(place: Place, url: string): Promise<boolean> {
  const program = opener(place);
  if (!program || !/^https?:\/\//.test(url)) return false;
  const [file, ...words] = program;
  const started = execa(file, [...words, url], {
    detached: true,
    stdio: 'ignore',
    reject: false,
    env: { ...place.variables },
    extendEnv: false,
    cleanup: false,
  });
  started.nodeChildProcess.unref();
  return started.pid !== undefined;
}
