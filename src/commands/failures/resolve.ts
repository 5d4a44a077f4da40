import { command, type FlagDefinitions } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { changeFailure, failureArgument, failureFlags } from './failure-flags.ts';

const flags = {
  note: { type: 'string', placeholder: '<text>', describe: 'what was done, for those who see it later' },
  undo: { type: 'boolean', default: false, describe: 'open it again' },
  ...failureFlags,
} as const satisfies FlagDefinitions;

/** `vp failures resolve`. */
export const failuresResolveCommand = command({
  name: 'failures resolve',
  summary: 'mark a failure as resolved, until it comes back',
  positionals: [failureArgument],
  flags,
  examples: [
    ['vp failures resolve 3f9a1c0b7d2e4f58 --note "fixed in 2.4.1"', 'a later run that fails so opens it again'],
    ['vp failures resolve 3f9a1c0b7d2e4f58 --undo', 'it is open again'],
  ],
  notes: 'Runs that were started before do not open it again. With --json: {"failure": {…}}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const note = flags.note === undefined ? {} : { note: flags.note };
    const state = flags.undo ? 'open' : 'resolved';
    await changeFailure({ flags, json, environment }, id, { state, ...note }, (failure) =>
      failure.state === 'open'
        ? `failure ${id} of ${failure.scenario_id} is open again`
        : `failure ${id} of ${failure.scenario_id} is resolved, until a run that starts from now on fails in the same way`,
    );
    return exitCode.done;
  },
});
