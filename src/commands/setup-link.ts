/** `vp setup-link`: a new link that makes the first owner, for whoever may write the data folder. */
import { resolve } from 'node:path';
import { exitCode } from '../errors/exit-code.ts';
import { makeSetupSecret, setupLinkFile, setupUrl } from '../identity/setup.ts';
import { command } from './command.ts';
import { storeFolderFlag } from './common-flags.ts';
import { linkBesideStore } from './setup/beside-store.ts';
import { handOver, linkText } from './setup/tell-link.ts';

/** The command. */
export const setupLinkCommand = command({
  name: 'setup-link',
  summary: 'make a new link that lets the first owner of a control plane set it up',
  positionals: [],
  flags: storeFolderFlag,
  examples: [['vp setup-link', 'while `vp serve` runs or before it does; earlier links end']],
  notes:
    'Printed to a terminal; otherwise written to a file of mode 0600 whose name is printed. ' +
    'When there is an owner already it says so: further people come by invitation.',
  async run(invocation) {
    const { flags, environment, json } = invocation;
    const folder = resolve(environment.cwd, flags.data ?? environment.paths.data);
    const told = handOver(
      invocation,
      await linkBesideStore(environment, folder, makeSetupSecret, setupUrl),
      setupLinkFile(folder),
    );
    const text = `open ${linkText(told)}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ setup_link_file: told.file })}\n` : text);
    return exitCode.done;
  },
});
