import { command, type FlagDefinitions } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { changeFailure, failureArgument, failureFlags } from './failure-flags.ts';

const flags = {
  remove: { type: 'boolean', default: false, describe: 'remove the assignment' },
  note: { type: 'string', placeholder: '<text>', describe: 'a note for everyone who sees the failure' },
  ...failureFlags,
} as const satisfies FlagDefinitions;

/** `vp failures assign`. */
export const failuresAssignCommand = command({
  name: 'failures assign',
  summary: 'say who looks after a failure',
  positionals: [failureArgument, { name: 'person', describe: 'name of the person', required: false }],
  flags,
  examples: [
    ['vp failures assign 3f9a1c0b7d2e4f58 "Ana Lopes"', 'then `vp failures --assignee "Ana Lopes"` lists it'],
    ['vp failures assign 3f9a1c0b7d2e4f58 --remove', 'removes the assignment'],
  ],
  notes:
    'The name is a text, as people know each other; it need not be that of an account. With --json: {"failure": {…}}.',
  async run({ flags, args: [id = '', person], json, environment }) {
    const command = 'vp failures assign';
    if (person === undefined && !flags.remove)
      throw vpError('COMMAND_WORD_MISSING', { command, word: '<person> or --remove' });
    if (person !== undefined && flags.remove)
      throw vpError('FLAG_CONTRADICTED', { flag: '--remove', other: '<person>' });
    const note = flags.note === undefined ? {} : { note: flags.note };
    await changeFailure({ flags, json, environment }, id, { assignee: person ?? null, ...note }, (failure) =>
      failure.assignee === null
        ? `failure ${id} of ${failure.scenario_id} is assigned to nobody`
        : `failure ${id} of ${failure.scenario_id} is assigned to ${failure.assignee}`,
    );
    return exitCode.done;
  },
});
