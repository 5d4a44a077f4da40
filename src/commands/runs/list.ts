/** `vp runs`: the run history of a control plane. */

import type { RunsFilter } from '../../client/runs.ts';
import { command, type FlagDefinitions, type FlagValues, type Invocation } from '../../command-line/command.ts';
import type { Run } from '../../contract/api.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { pendingStateLabels, type RunState, runStates } from '../../run/state.ts';
import { paintFor } from '../../terminal/paint.ts';
import { createProgress } from '../../terminal/progress.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { parseSince } from './parse-since.ts';
import { readRuns } from './read-runs.ts';
import { formatRemark, formatRunDuration, formatState, runStyle } from './run-style.ts';
import { assertNotWatching, describeRunSearch, runSearchFlags, toRunSearch } from './search-flags.ts';
import { assertOnlyView, readViewQuery } from './view-query.ts';

const flags = {
  instance: {
    type: 'string',
    placeholder: '<id>',
    describe: 'only runs of this instance',
    variable: 'VP_INSTANCE',
    kind: 'instance',
  },
  scenario: { type: 'string', placeholder: '<ID>', describe: 'only runs of this scenario', kind: 'scenario' },
  state: {
    type: 'strings',
    placeholder: '<state>',
    choices: runStates,
    synonyms: { [pendingStateLabels.in_progress]: 'in_progress' },
    describe: 'only runs in this state',
  },
  since: {
    type: 'string',
    placeholder: '<time>',
    describe: 'only runs requested since then: 30s, 15m, 1h, 7d, or a timestamp',
  },
  until: { type: 'string', placeholder: '<time>', describe: 'only runs requested before then' },
  ...runSearchFlags,
  view: { type: 'string', placeholder: '<view>', describe: 'what this saved view selects', kind: 'view' },
  limit: { type: 'number', placeholder: '<n>', default: 20, describe: 'maximum number of results' },
  watch: { type: 'boolean', default: false, describe: 'keep running, and print each change' },
  ...controlPlaneFlags,
} as const satisfies FlagDefinitions;

type RunsFlags = typeof flags;

/** `vp runs`. */
export const runsCommand = command({
  name: 'runs',
  summary: 'list runs, newest first, or watch them',
  positionals: [],
  flags,
  examples: [
    ['vp runs', 'the newest 20'],
    ['vp runs --instance shop --state failed --since 1h', 'failures of the last hour'],
    ['vp runs --text refused --tag smoke', 'runs in which that stands, of scenarios with the tag'],
    ['vp runs --view "Failed today"', 'a saved view of the console, see `vp views list`'],
    ['vp runs --watch', 'print changes until Ctrl-C'],
  ],
  notes: `\`vp runs show <run id>\` shows one run, \`vp runs cancel <run id>\` cancels one.
A run that could not be judged (a timeout, an unreachable target, unavailable evidence) has the state failed and the outcome broken.
TOOK is the time up to the end of the answer; what follows + was waited for log lines and query results.
\`--text\` is found in the id, title, tags and owner of the scenario and in what failed, in any case of letters; a text that begins with / also as a path.
A search stops after about a million runs and prints how to continue.
Times are in UTC. With --json: {"runs": […]}; with --watch one {"run"} on each line.`,
  run: (invocation) => listOrWatch(invocation),
});

const maxRuns = 10_000;

async function listOrWatch({ flags, json, environment }: Invocation<RunsFlags>): Promise<ExitCode> {
  const nowMs = environment.clock.nowMs();
  const given = parseQuery(flags, nowMs);
  const { view } = flags;
  if (view !== undefined) assertOnlyView(given, flags.watch);
  const client = await openClient(flags, environment);
  const { instance, until, limit } = given;
  const query =
    view === undefined ? given : { ...(await readViewQuery(client, { view, instance }, nowMs)), until, limit };
  if (flags.watch) return (await import('./watch.ts')).watchRuns({ client, query, json, environment });
  const { streams, clock } = environment;
  const progress = createProgress(streams.stderr, clock);
  const { runs, lookedUntil } = await readRuns(client.runs.list, query, flags.limit, (until) =>
    progress.update(`searching, ${until.replace('T', ' ').slice(0, 19)}`),
  ).finally(() => progress.stop());
  streams.stdout.write(json ? `${JSON.stringify({ runs }, null, 2)}\n` : formatRunTable(runs, flags, environment));
  if (lookedUntil !== undefined)
    streams.stderr.write(`older runs were not searched; continue with --until ${lookedUntil}\n`);
  return exitCode.done;
}

function parseQuery(flags: FlagValues<RunsFlags>, nowMs: number): RunsFilter {
  const { instance, scenario, since, limit } = flags;
  if (!Number.isInteger(limit) || limit < 1 || limit > maxRuns) {
    const problem = `must be a whole number from 1 to ${maxRuns}`;
    throw vpError('FLAG_INVALID', { command: 'vp runs', flag: '--limit', problem });
  }
  const search = toRunSearch(flags);
  if (flags.watch) assertNotWatching(search);
  if (flags.watch && flags.until !== undefined)
    throw vpError('FLAG_CONTRADICTED', { flag: '--until', other: '--watch' });
  const states: RunState[] = runStates.filter((state) => flags.state.includes(state));
  return {
    instance,
    scenario,
    states,
    since: since === undefined ? undefined : parseSince(since, nowMs),
    until:
      flags.until === undefined ? undefined : parseSince(flags.until, nowMs, { command: 'vp runs', flag: '--until' }),
    ...search,
    limit: Math.min(200, limit),
  };
}

/** Names the filters, so that a mistyped one does not pass for an empty history. */
function formatNoRuns(flags: FlagValues<RunsFlags>): string {
  const { instance, scenario, since, until, view } = flags;
  const states = flags.state.map((name) => (name === 'in_progress' ? pendingStateLabels[name] : name));
  const filters = [
    ...(scenario === undefined ? [] : [`of the scenario ${scenario}`]),
    ...(view === undefined ? [] : [`of the view ${escapeUnsafeLine(view)}`]),
    ...(instance === undefined ? [] : [`on ${instance}`]),
    ...(states.length === 0 ? [] : [`in the state ${states.join(' or ')}`]),
    ...describeRunSearch(toRunSearch(flags)),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(until === undefined ? [] : [`before ${until}`]),
  ];
  return `${['no runs', ...filters].join(' ')}\n`;
}

const versionColumn: TableColumn<Run> = {
  title: 'VERSION',
  text: ({ target_version: version = '' }) => version,
  minWidth: 8,
  optional: true,
};

function formatRunTable(runs: readonly Run[], flags: FlagValues<RunsFlags>, environment: Environment): string {
  const { instance } = flags;
  const { stdout } = environment.streams;
  const paint = paintFor(stdout, environment.variables);
  const nowMs = environment.clock.nowMs();
  const columns: TableColumn<Run>[] = [
    { title: 'RUN ID', text: ({ run_id }) => run_id },
    { title: 'STATE', text: formatState, style: (run) => runStyle(run, paint) },
    { title: 'SCENARIO', text: ({ scenario_id }) => scenario_id, minWidth: 12 },
    ...(instance === undefined ? [{ title: 'INSTANCE', text: (run: Run) => run.instance, optional: true }] : []),
    { title: 'STATUS', text: ({ observed_status }) => String(observed_status ?? ''), alignRight: true, optional: true },
    { title: 'TOOK', text: formatRunDuration, alignRight: true, optional: true },
    { title: 'REQUESTED', text: ({ requested_at }) => formatRelativeTime(requested_at, nowMs), optional: true },
    ...(runs.some((run) => run.target_version !== undefined) ? [versionColumn] : []),
    { title: 'REMARK', text: formatRemark, minWidth: 10, optional: true },
  ];
  return formatTable(runs, columns, stdout, paint) || formatNoRuns(flags);
}
