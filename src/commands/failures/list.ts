import { readPages } from '../../client/transport/pages.ts';
import { command, type FlagDefinitions, type FlagValues } from '../../command-line/command.ts';
import type { FailureGroup } from '../../contract/failures-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable } from '../../terminal/table.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';
import { buildFailureColumns } from './format-failure.ts';

const states = ['failing', 'open', 'resolved'] as const;
const maxFailures = 1000;

const flags = {
  instance: instanceFlag,
  state: {
    type: 'string',
    placeholder: '<state>',
    default: 'open',
    choices: [...states, 'all'],
    describe: 'failing: in the newest result of its scenario; open: not resolved',
  },
  scenario: { type: 'string', placeholder: '<ID>', describe: 'only failures of this scenario', kind: 'scenario' },
  assignee: { type: 'string', placeholder: '<name>', describe: 'only failures assigned to this person' },
  limit: { type: 'number', placeholder: '<n>', default: 50, describe: 'maximum number of results' },
  ...controlPlaneFlags,
} as const satisfies FlagDefinitions;

/** `vp failures`. */
export const failuresCommand = command({
  name: 'failures',
  summary: 'list failures, each once',
  positionals: [],
  flags,
  examples: [
    ['vp failures', 'what is open, seen last first'],
    ['vp failures --state failing', 'what fails now'],
    ['vp failures --state all --scenario RT-GET-folder', 'the history of a scenario'],
  ],
  notes: `Runs belong to one failure where the same check of the same scenario fails with the same outcome; identifiers, times and
numbers in the outcome may differ. \`vp failures show <failure>\` shows one, \`vp failures resolve <failure>\` resolves it: it comes
back by itself when a later run fails in the same way. With --json: {"failures": […]}.`,
  async run({ flags: { limit, ...flags }, json, environment }) {
    if (!Number.isInteger(limit) || limit < 1 || limit > maxFailures) {
      const problem = `must be a whole number from 1 to ${maxFailures}`;
      throw vpError('FLAG_INVALID', { command: 'vp failures', flag: '--limit', problem });
    }
    const { streams, variables, clock } = environment;
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const state = states.find((name) => name === flags.state);
    const filter = { scenario: flags.scenario, assignee: flags.assignee, state };
    const { items: failures } = await readPages<FailureGroup>(
      (page) => client.failures.list(instance, { ...filter, ...page }),
      limit,
    );
    const paint = paintFor(streams.stdout, variables);
    const table = formatTable(failures, buildFailureColumns(clock.nowMs(), paint), streams.stdout, paint);
    streams.stdout.write(
      json ? `${JSON.stringify({ failures }, null, 2)}\n` : table || formatNoFailures(instance, flags),
    );
    return exitCode.done;
  },
});

type Filters = Pick<FlagValues<typeof flags>, 'state' | 'scenario' | 'assignee'>;

/** Names the filters, so that a mistyped one does not pass for an application without failures. */
function formatNoFailures(instance: string, { state, scenario, assignee }: Filters): string {
  const filters = [
    ...(scenario === undefined ? [] : [`in the scenario ${scenario}`]),
    ...(assignee === undefined ? [] : [`assigned to ${assignee}`]),
  ];
  return `${['no', ...(state === 'all' ? [] : [state]), `failures of ${instance}`, ...filters].join(' ')}\n`;
}
