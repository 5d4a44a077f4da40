import { command } from '../../command-line/command.ts';
import type { Hub } from '../../contract/hubs/hubs-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { isInteractive, readLine } from '../prompt-line.ts';

/** `vp hubs remove`. */
export const hubsRemoveCommand = command({
  name: 'hubs remove',
  summary: 'remove a hub with its connections and tokens',
  positionals: [hubArgument],
  flags: {
    yes: { type: 'boolean', alias: 'y', default: false, describe: 'do not ask for confirmation' },
    ...controlPlaneFlags,
  },
  examples: [['vp hubs remove acme', 'asks you to type the slug']],
  notes: 'This cannot be undone, except from a backup. With --json: {"removed": "<slug>"}.',
  async run({ flags, args: [slug = ''], json, environment }) {
    const { hubs } = await openClient(flags, environment);
    const hub = await hubs.get(slug);
    if (!flags.yes) await confirmRemoval(hub, environment);
    await hubs.remove(slug);
    environment.streams.stdout.write(json ? `${JSON.stringify({ removed: slug })}\n` : `hub ${slug} is removed\n`);
    return exitCode.done;
  },
});

/** Throws HUB_REMOVAL_UNCONFIRMED unless a person types the slug. */
async function confirmRemoval({ slug, members, connections }: Hub, { streams }: Environment): Promise<void> {
  const { stdin, stderr } = streams;
  const createUnconfirmedError = (why: string) => vpError('HUB_REMOVAL_UNCONFIRMED', { hub: slug, why });
  if (!isInteractive(stdin)) throw createUnconfirmedError('standard input is not a terminal');
  const impact = `${connections} connections and the tokens of its ${members} members`;
  stderr.write(`This removes ${slug} with ${impact}. Type the slug to continue: `);
  if ((await readLine(stdin)).trim() !== slug) throw createUnconfirmedError('the slug was not typed');
}
