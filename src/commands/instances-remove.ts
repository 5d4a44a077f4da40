import type { Instance } from '../contract/api.ts';
import type { Environment } from '../environment/environment.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { canBeAsked, typedLine } from './typed-line.ts';

/** `vp instances remove`. */
export const instancesRemoveCommand = command({
  name: 'instances remove',
  summary: 'remove an instance with its key, scenarios and run history',
  positionals: [{ name: 'id', describe: 'instance id', required: true }],
  flags: {
    yes: { type: 'boolean', alias: 'y', default: false, describe: 'do not ask' },
    ...controlPlaneFlags,
  },
  examples: [['vp instances remove shop', 'asks to type the id']],
  notes: 'There is no way back but a backup. The target and the executor’s machine are left as they are.',
  async run({ flags, words: [id = ''], json, environment }) {
    const { instances } = await connect(flags, environment);
    const instance = await instances.get(id);
    if (!flags.yes) await confirm(instance, environment);
    await instances.remove(id);
    environment.streams.stdout.write(json ? `${JSON.stringify({ removed: id })}\n` : `instance ${id} is removed\n`);
    return exitCode.done;
  },
});

/** Throws INSTANCE_REMOVAL_UNCONFIRMED unless a person types the id. */
async function confirm({ instance_id: instance, queued }: Instance, { streams }: Environment): Promise<void> {
  const { stdin, stderr } = streams;
  if (!canBeAsked(stdin)) {
    throw vpError('INSTANCE_REMOVAL_UNCONFIRMED', { instance, why: 'nobody is at a terminal to confirm it' });
  }
  const waiting = queued === 0 ? '' : ` ${queued} runs wait in its queue.`;
  stderr.write(`This removes ${instance}, its scenarios and its run history.${waiting} Type the id to go on: `);
  const typed = await typedLine(stdin);
  if (typed.trim() !== instance)
    throw vpError('INSTANCE_REMOVAL_UNCONFIRMED', { instance, why: 'the id was not typed' });
}
