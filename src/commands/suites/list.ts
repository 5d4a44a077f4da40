import { readPages } from '../../client/transport/pages.ts';
import { command, type FlagDefinitions, type FlagValues } from '../../command-line/command.ts';
import type { Suite } from '../../contract/suites-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { formatSuiteCounts, formatSuiteSource, formatVerdict, paintVerdict } from './format-suite.ts';
import { suiteFlags } from './suite-flags.ts';

const maxSuites = 1000;

const flags = {
  ...suiteFlags,
  branch: { type: 'string', placeholder: '<name>', describe: 'only suites of this branch' },
  commit: { type: 'string', placeholder: '<id>', describe: 'only suites of this commit' },
  schedule: {
    type: 'string',
    placeholder: '<id>',
    kind: 'schedule',
    describe: 'only suites that this schedule requested',
  },
  limit: { type: 'number', placeholder: '<n>', default: 20, describe: 'maximum number of results' },
} as const satisfies FlagDefinitions;

/** `vp suites`. */
export const suitesCommand = command({
  name: 'suites',
  summary: 'list suites, each with one verdict',
  positionals: [],
  flags,
  examples: [
    ['vp suites', 'the newest 20'],
    ['vp suites --branch main', 'the suites of a branch'],
  ],
  notes:
    'A suite is a group of runs that were requested together: by `vp run` with several scenarios, in the console, or by a ' +
    'schedule. Its verdict is that of its worst run; of a run that was retried, the last attempt counts. A suite is ' +
    'incomplete until all of its shards have requested their runs. `vp suites show <suite>` shows one. With --json: {"suites": […]}.',
  async run({ flags: { limit, ...flags }, json, environment }) {
    if (!Number.isInteger(limit) || limit < 1 || limit > maxSuites) {
      const problem = `must be a whole number from 1 to ${maxSuites}`;
      throw vpError('FLAG_INVALID', { command: 'vp suites', flag: '--limit', problem });
    }
    const { streams, variables, clock } = environment;
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const { branch, commit, schedule } = flags;
    const { items: suites } = await readPages<Suite>(
      (page) => client.suites.list(instance, { branch, commit, schedule, ...page }),
      limit,
    );
    const paint = paintFor(streams.stdout, variables);
    const table = formatTable(suites, buildColumns(clock.nowMs(), paint), streams.stdout, paint);
    streams.stdout.write(json ? `${JSON.stringify({ suites }, null, 2)}\n` : table || formatNoSuites(instance, flags));
    return exitCode.done;
  },
});

type Filters = Pick<FlagValues<typeof flags>, 'branch' | 'commit' | 'schedule'>;

/** Names the filters, so that a mistyped one does not pass for an empty history. */
function formatNoSuites(instance: string, { branch, commit, schedule }: Filters): string {
  const filters = [
    ...(branch === undefined ? [] : [`of the branch ${branch}`]),
    ...(commit === undefined ? [] : [`with the commit ${commit}`]),
    ...(schedule === undefined ? [] : [`of the schedule ${schedule}`]),
  ];
  if (filters.length > 0) return `${[`no suites of ${instance}`, ...filters].join(' ')}\n`;
  return `${instance} has no suites; request several scenarios at once, such as with \`vp run --tag <tag>\`\n`;
}

function buildColumns(nowMs: number, paint: TerminalPaint): TableColumn<Suite>[] {
  return [
    { title: 'SUITE', text: ({ suite_id }) => suite_id },
    { title: 'VERDICT', text: formatVerdict, style: (suite) => paintVerdict(suite, paint) },
    { title: 'NAME', text: ({ name }) => escapeUnsafeLine(name ?? ''), optional: true },
    { title: 'RUNS', text: formatSuiteCounts, minWidth: 12 },
    { title: 'CHANGE', text: formatSuiteSource, optional: true },
    { title: 'REQUESTED', text: ({ requested_at: at }) => formatRelativeTime(at, nowMs), optional: true },
    { title: 'BY', text: ({ requested_by: by }) => escapeUnsafeLine(by), optional: true },
  ];
}
