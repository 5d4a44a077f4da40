import { command } from '../../command-line/command.ts';
import type { Instance } from '../../contract/api.ts';
import type { Environment } from '../../environment/environment.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { isInteractive, readLine } from '../prompt-line.ts';

/** `vp instances remove`. */
export const instancesRemoveCommand = command({
  name: 'instances remove',
  summary: 'remove an instance with its key, scenarios and run history',
  positionals: [{ name: 'id', describe: 'instance id', required: true, kind: 'instance' }],
  flags: {
    yes: { type: 'boolean', alias: 'y', default: false, describe: 'do not ask for confirmation' },
    ...controlPlaneFlags,
  },
  examples: [['vp instances remove shop', 'asks you to type the id']],
  notes: 'This cannot be undone, except from a backup. The target and the executor’s machine are not changed.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { instances } = await openClient(flags, environment);
    const instance = await instances.get(id);
    if (!flags.yes) await confirmRemoval(instance, environment);
    await instances.remove(id);
    environment.streams.stdout.write(json ? `${JSON.stringify({ removed: id })}\n` : `instance ${id} is removed\n`);
    return exitCode.done;
  },
});

/** Throws INSTANCE_REMOVAL_UNCONFIRMED unless a person types the id. */
async function confirmRemoval({ instance_id: instance, queued }: Instance, { streams }: Environment): Promise<void> {
  const { stdin, stderr } = streams;
  if (!isInteractive(stdin)) {
    throw vpError('INSTANCE_REMOVAL_UNCONFIRMED', { instance, why: 'standard input is not a terminal' });
  }
  const queueNote = queued === 0 ? '' : ` ${queued} runs wait in its queue.`;
  stderr.write(`This removes ${instance}, its scenarios and its run history.${queueNote} Type the id to continue: `);
  const typedId = await readLine(stdin);
  if (typedId.trim() !== instance)
    throw vpError('INSTANCE_REMOVAL_UNCONFIRMED', { instance, why: 'the id was not typed' });
}
