import type { Hub } from '../contract/hub-api.ts';
import type { Environment } from '../environment/environment.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { canBeAsked, typedLine } from './typed-line.ts';

/** `vp hubs remove`. */
export const hubsRemoveCommand = command({
  name: 'hubs remove',
  summary: 'remove a hub with its connections and tokens',
  positionals: [{ name: 'hub', describe: 'slug of the hub', required: true }],
  flags: {
    yes: { type: 'boolean', alias: 'y', default: false, describe: 'do not ask' },
    ...controlPlaneFlags,
  },
  examples: [['vp hubs remove acme', 'asks to type the slug']],
  notes: 'There is no way back but a backup. With --json: {"removed": "<slug>"}.',
  async run({ flags, words: [slug = ''], json, environment }) {
    const { hubs } = await connect(flags, environment);
    const hub = await hubs.get(slug);
    if (!flags.yes) await confirm(hub, environment);
    await hubs.remove(slug);
    environment.streams.stdout.write(json ? `${JSON.stringify({ removed: slug })}\n` : `the hub ${slug} is removed\n`);
    return exitCode.done;
  },
});

/** Throws HUB_REMOVAL_UNCONFIRMED unless a person types the slug. */
async function confirm({ slug, members, connections }: Hub, { streams }: Environment): Promise<void> {
  const { stdin, stderr } = streams;
  const unconfirmed = (why: string) => vpError('HUB_REMOVAL_UNCONFIRMED', { hub: slug, why });
  if (!canBeAsked(stdin)) throw unconfirmed('nobody is at a terminal to confirm it');
  const lost = `${connections} connections and the tokens of its ${members} members`;
  stderr.write(`This removes ${slug} with ${lost}. Type the slug to go on: `);
  if ((await typedLine(stdin)).trim() !== slug) throw unconfirmed('the slug was not typed');
}
