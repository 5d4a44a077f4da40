import { command, type Invocation } from '../../command-line/command.ts';
import { maxQuarantineDays } from '../../contract/quarantine-limits.ts';
import type { Quarantine } from '../../contract/quarantines-api.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { describeQuarantine, formatQuarantineEnd } from '../../run/quarantine.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { formatControlPlaneFlag, openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { parseEnd } from '../parse-end.ts';
import { catalogueFlags } from './catalogue-flags.ts';

const flags = {
  until: {
    type: 'string',
    placeholder: '<end>',
    describe: 'when it ends: a date (included, in UTC), a timestamp, or a number of days such as 14d',
  },
  reason: { type: 'string', placeholder: '<text>', describe: 'why its failures are acceptable until then' },
  owner: {
    type: 'string',
    placeholder: '<name>',
    describe: 'who will fix it (default: the `Owner:` of the scenario, else you)',
  },
  ...catalogueFlags,
} as const;

const columns: readonly TableColumn<Quarantine>[] = [
  { title: 'SCENARIO', text: ({ scenario_id: id }) => id, minWidth: 12 },
  { title: 'UNTIL', text: ({ until }) => formatQuarantineEnd(until) },
  { title: 'DAYS LEFT', text: ({ days_left: days }) => String(days), alignRight: true },
  { title: 'OWNER', text: ({ owner }) => owner, minWidth: 6 },
  { title: 'REASON', text: ({ reason }) => reason, minWidth: 10 },
  { title: 'BY', text: ({ created_by: by }) => by, optional: true },
];

/** `vp scenarios quarantine`. */
export const scenariosQuarantineCommand = command({
  name: 'scenarios quarantine',
  summary: 'put a scenario in quarantine, or list the scenarios in quarantine',
  positionals: [
    {
      name: 'id',
      describe: 'scenario ID; omit it to list the scenarios in quarantine',
      required: false,
      kind: 'scenario',
    },
  ],
  flags,
  examples: [
    ['vp scenarios quarantine', 'list the scenarios in quarantine'],
    ['vp scenarios quarantine RT-GET-folder --until 14d --reason "the index is rebuilt"', 'for two weeks'],
  ],
  notes:
    'A scenario in quarantine still runs, and its results are still shown, but its failures do not count: no ' +
    'command, suite or report file fails because of them, and no notification is sent. Use it for a scenario that is flaky, or that fails for a known ' +
    `reason. --until and --reason are required. The quarantine ends by itself, after at most ${maxQuarantineDays} days; end it earlier with ` +
    '`vp scenarios release <ID>`. Runs that have ended do not change. To change the end, the reason or the owner, run the ' +
    'command again. With --json: {"instance", "quarantines": […]}.',
  run(call) {
    const [id] = call.args;
    return id === undefined ? listQuarantines(call) : setQuarantine(call, id);
  },
});

type QuarantineCall = Invocation<typeof flags>;

async function listQuarantines({ flags: given, json, environment }: QuarantineCall): Promise<ExitCode> {
  const { until, reason, owner } = given;
  assertNoFlags({ until, reason, owner });
  const { stdout } = environment.streams;
  const client = await openClient(given, environment);
  const { instance_id: instance } = await selectInstance(client, given.instance);
  const quarantines = await client.quarantines.list(instance);
  const table = formatTable(quarantines, columns, stdout, paintFor(stdout, environment.variables));
  const text = table || `no scenario of ${instance} is in quarantine\n`;
  stdout.write(json ? formatQuarantines(instance, quarantines) : text);
  return exitCode.done;
}

async function setQuarantine({ flags: given, json, environment }: QuarantineCall, id: string): Promise<ExitCode> {
  const { stdout } = environment.streams;
  const until = parseEnd(requireFlag('until', given.until), environment.clock.nowMs(), 'vp scenarios quarantine');
  const owner = given.owner === undefined ? {} : { owner: given.owner };
  const input = { until, reason: requireFlag('reason', given.reason), ...owner };
  const client = await openClient(given, environment);
  const { instance_id: instance } = await selectInstance(client, given.instance);
  const quarantine = await client.quarantines.set(instance, id, input);
  const release = `vp scenarios release ${quarantine.scenario_id} --instance ${instance}${formatControlPlaneFlag(client)}`;
  const description = escapeUnsafeLine(`${quarantine.scenario_id} is ${describeQuarantine(quarantine)}`);
  const text = `scenario ${description}\nit still runs, but its failures do not count; end the quarantine with \`${release}\`\n`;
  stdout.write(json ? formatQuarantines(instance, [quarantine]) : text);
  return exitCode.done;
}

function formatQuarantines(instance: string, quarantines: readonly Quarantine[]): string {
  return `${JSON.stringify({ instance, quarantines }, null, 2)}\n`;
}

function requireFlag(name: string, value: string | undefined): string {
  if (value !== undefined && value.trim() !== '') return value;
  const problem = 'is required to put a scenario in quarantine';
  throw vpError('FLAG_INVALID', { command: 'vp scenarios quarantine', flag: `--${name}`, problem });
}

/** Without an ID they would be ignored, and nothing would be in quarantine. */
function assertNoFlags(values: Readonly<Record<string, string | undefined>>): void {
  const [name] = Object.keys(values).filter((key) => values[key] !== undefined);
  if (name === undefined) return;
  const problem = 'needs the ID of a scenario: without one, those in quarantine are listed';
  throw vpError('FLAG_INVALID', { command: 'vp scenarios quarantine', flag: `--${name}`, problem });
}
