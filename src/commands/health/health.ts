import { command, type FlagDefinitions } from '../../command-line/command.ts';
import type { CheckHealth, ScenarioHealth } from '../../contract/health-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { formatDuration } from '../../report/measures.ts';
import { formatQuarantineEnd } from '../../run/quarantine.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';

const flags = { instance: instanceFlag, ...controlPlaneFlags } as const satisfies FlagDefinitions;

function formatShare(share: number | null): string {
  return share === null ? '' : `${Math.round(share * 100)}%`;
}

/** `flaky in 2.4.1, slower: 40 ms → 62 ms`. */
function describeHealth(entry: ScenarioHealth): string {
  const { flaky, flaky_version: version, speed, earlier_p50_ms: earlier, recent_p50_ms: recent, quarantine } = entry;
  const isChanged = (speed === 'slower' || speed === 'faster') && earlier !== null && recent !== null;
  return [
    ...(quarantine ? [`in quarantine until ${formatQuarantineEnd(quarantine.until)}`] : []),
    ...(flaky ? [version === null ? 'flaky' : `flaky in ${version}`] : []),
    ...(isChanged ? [`${speed}: p50 ${formatDuration(earlier)} → ${formatDuration(recent)}`] : []),
  ].join(', ');
}

type Rates = Pick<ScenarioHealth, 'passed' | 'failed' | 'not_judged' | 'health' | 'pass_rate' | 'flip_rate'>;

const rateColumns: readonly TableColumn<Rates>[] = [
  { title: 'HEALTH', text: ({ health }) => formatShare(health), alignRight: true },
  { title: 'PASSED', text: ({ pass_rate: rate }) => formatShare(rate), alignRight: true },
  { title: 'FLIPS', text: ({ flip_rate: rate }) => formatShare(rate), alignRight: true },
  { title: 'RUNS', text: ({ passed, failed, not_judged: other }) => String(passed + failed + other), alignRight: true },
];

function buildScenarioColumns(paint: TerminalPaint): TableColumn<ScenarioHealth>[] {
  return [
    { title: 'SCENARIO', text: ({ scenario_id: id }) => id, minWidth: 12 },
    ...rateColumns,
    { title: 'REMARK', text: describeHealth, style: () => paint.broken, minWidth: 10 },
  ];
}

const checkColumns: readonly TableColumn<CheckHealth>[] = [
  { title: 'LINE', text: ({ line }) => String(line), alignRight: true },
  { title: 'CHECK', text: ({ check, step }) => (step === null ? check : `${step}: ${check}`), minWidth: 12 },
  ...rateColumns,
];

/** `vp health`. */
export const healthCommand = command({
  name: 'health',
  summary: 'show how far results can be relied on: flaky, slower',
  positionals: [{ name: 'scenario', describe: 'its checks too, one by one', required: false, kind: 'scenario' }],
  flags,
  examples: [
    ['vp health', 'all scenarios, flaky and slower ones first'],
    ['vp health RT-GET-folder', 'one scenario with each of its checks'],
  ],
  notes: `Health is the pass rate × (1 − the share of results that differ from the one before), over the newest 100 runs of at most 30 days. A scenario is
flaky where one version of the target and one revision of the scenario both passed and failed. It is slower where the passed runs of the last two
days are, against the 14 days before (Mann-Whitney U test, p < 0.01 over all scenarios, 5% and 1 ms in the median). Checks are those of the newest 50
runs that have a report. With --json: {"health": {…}}.`,
  async run({ flags, args: [scenario], json, environment }) {
    const { streams, variables } = environment;
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const paint = paintFor(streams.stdout, variables);
    if (scenario === undefined) {
      const health = await client.health.list(instance);
      const table = formatTable(health.scenarios, buildScenarioColumns(paint), streams.stdout, paint);
      const none = `the catalogue of ${instance} is empty\n`;
      streams.stdout.write(json ? `${JSON.stringify({ health }, null, 2)}\n` : table || none);
      return exitCode.done;
    }
    const health = await client.health.get(instance, scenario);
    const head = formatTable([health], buildScenarioColumns(paint), streams.stdout, paint);
    const checks = formatTable(health.checks, [...checkColumns], streams.stdout, paint);
    const none = 'no run of the last 30 days has a report\n';
    streams.stdout.write(json ? `${JSON.stringify({ health }, null, 2)}\n` : `${head}\n${checks || none}`);
    return exitCode.done;
  },
});
