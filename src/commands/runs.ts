/** `vp runs`: the run history of a control plane. */
import type { RunsWanted } from '../client/runs.ts';
import type { Run } from '../contract/api.ts';
import type { Environment } from '../environment/environment.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { type RunState, runStates } from '../run/state.ts';
import { agoText } from '../terminal/ago.ts';
import { paintFor } from '../terminal/paint.ts';
import { type Column, table } from '../terminal/table.ts';
import { command, type Flags, type FlagValues, type Invocation } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { remarkOf, styleOf, tookText } from './runs/run-look.ts';
import { sinceMoment } from './runs/since.ts';

const flags = {
  instance: { type: 'string', placeholder: '<id>', describe: 'only those of this instance' },
  scenario: { type: 'string', placeholder: '<ID>', describe: 'only those of this scenario' },
  state: { type: 'strings', placeholder: '<state>', choices: runStates, describe: 'only those in this state' },
  since: {
    type: 'string',
    placeholder: '<time>',
    describe: 'only those requested since: 30s, 15m, 1h, 7d, or a moment',
  },
  limit: { type: 'number', placeholder: '<n>', default: 20, describe: 'how many at most' },
  watch: { type: 'boolean', default: false, describe: 'stay, and tell each change as it happens' },
  ...controlPlaneFlags,
} as const satisfies Flags;

type RunsFlags = typeof flags;

/** `vp runs`. */
export const runsCommand = command({
  name: 'runs',
  summary: 'list runs, newest first, or watch them',
  positionals: [],
  flags,
  examples: [
    ['vp runs', 'the last 20'],
    ['vp runs --instance shop --state failed --since 1h', 'what failed lately'],
    ['vp runs --watch', 'what happens now, until Ctrl-C'],
  ],
  notes: `\`vp runs show <run id>\` tells one run, \`vp runs cancel <run id>\` ends one.
Times are in UTC. With --json: {"runs": […]}; with --watch one {"run"} on each line.`,
  run: (invocation) => listOrWatch(invocation),
});

const mostListed = 10_000;

async function listOrWatch({ flags, json, environment }: Invocation<RunsFlags>): Promise<ExitCode> {
  const wanted = wantedOf(flags, environment.clock.nowMs());
  const client = await connect(flags, environment);
  if (flags.watch) return (await import('./runs/watch.ts')).watchRuns({ client, wanted, json, environment });
  const runs: Run[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.runs.list({ ...wanted, limit: Math.min(200, flags.limit - runs.length), cursor });
    runs.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && runs.length < flags.limit);
  environment.streams.stdout.write(json ? `${JSON.stringify({ runs }, null, 2)}\n` : tableOf(runs, flags, environment));
  return exitCode.done;
}

function wantedOf(flags: FlagValues<RunsFlags>, nowMs: number): RunsWanted {
  const { instance, scenario, since, limit } = flags;
  if (!Number.isInteger(limit) || limit < 1 || limit > mostListed) {
    const problem = `must be a whole number from 1 to ${mostListed}`;
    throw vpError('FLAG_INVALID', { command: 'vp runs', flag: '--limit', problem });
  }
  const states: RunState[] = runStates.filter((state) => flags.state.includes(state));
  return {
    instance,
    scenario,
    states,
    since: since === undefined ? undefined : sinceMoment(since, nowMs),
    limit: Math.min(200, limit),
  };
}

function tableOf(
  runs: readonly Run[],
  { instance }: { instance: string | undefined },
  environment: Environment,
): string {
  const { stdout } = environment.streams;
  const paint = paintFor(stdout, environment.variables);
  const nowMs = environment.clock.nowMs();
  const columns: Column<Run>[] = [
    { title: 'RUN ID', of: ({ run_id }) => run_id },
    { title: 'STATE', of: ({ state }) => state, style: (run) => styleOf(run, paint) },
    { title: 'SCENARIO', of: ({ scenario_id }) => scenario_id, least: 12 },
    ...(instance === undefined ? [{ title: 'INSTANCE', of: (run: Run) => run.instance, spare: true }] : []),
    { title: 'STATUS', of: ({ observed_status }) => String(observed_status ?? ''), alignRight: true, spare: true },
    { title: 'TOOK', of: tookText, alignRight: true, spare: true },
    { title: 'REQUESTED', of: ({ requested_at }) => agoText(requested_at, nowMs), spare: true },
    { title: 'REMARK', of: remarkOf, least: 10, spare: true },
  ];
  return table(runs, columns, stdout, paint) || 'no runs\n';
}
