/** `vp setup-link`: a new link that makes the first owner, for whoever may write the data folder. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openKeyring } from '../control/keyring.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { makeSetupSecret, setupLinkFile, setupUrl } from '../identity/setup.ts';
import { keptAddress } from '../store/control/identity-links.ts';
import { controlStoreFile } from '../store/control/open.ts';
import { controlStoreKind } from '../store/control/schema.ts';
import { openDatabase } from '../store/database.ts';
import { command, type Invocation } from './command.ts';
import { handOver, linkText } from './setup/tell-link.ts';

const flags = {
  data: {
    type: 'string',
    placeholder: '<folder>',
    describe: 'data folder of the control plane',
    variable: 'VP_DATA',
  },
} as const;

/** Beside a control plane that runs: it looks the link up in its store. */
async function makeLink({ environment }: Invocation<typeof flags>, folder: string): Promise<string> {
  const { clock, random, variables } = environment;
  const file = controlStoreFile(folder);
  if (!existsSync(file)) throw vpError('STORE_ABSENT', { file });
  const database = openDatabase({ file, kind: controlStoreKind });
  try {
    const keyring = await openKeyring(database, { folder, variable: variables.VP_MASTER_KEY, clock, random });
    const { tokenHashKey } = keyring;
    const secret = await makeSetupSecret({ database, tokenHashKey, random, nowMs: clock.nowMs() });
    return setupUrl((await database.read(keptAddress)) ?? 'http://127.0.0.1:7700', secret);
  } finally {
    await database.close();
  }
}

/** The command. */
export const setupLinkCommand = command({
  name: 'setup-link',
  summary: 'make a new link that lets the first owner of a control plane set it up',
  positionals: [],
  flags,
  examples: [['vp setup-link', 'while `vp serve` runs or before it does; earlier links end']],
  notes:
    'Printed to a terminal; otherwise written to a file of mode 0600 whose name is printed. ' +
    'When there is an owner already it says so: further people come by invitation.',
  async run(invocation) {
    const { flags, environment, json } = invocation;
    const folder = resolve(environment.cwd, flags.data ?? environment.paths.data);
    const told = handOver(invocation, await makeLink(invocation, folder), setupLinkFile(folder));
    const text = `open ${linkText(told)}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ setup_link_file: told.file })}\n` : text);
    return exitCode.done;
  },
});
