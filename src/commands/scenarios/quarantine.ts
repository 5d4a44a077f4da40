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
  until: { type: 'string', placeholder: '<end>', describe: 'a day, which ends at midnight UTC, a time, or 14d' },
  reason: { type: 'string', placeholder: '<text>', describe: 'why its failures are accepted until then' },
  owner: { type: 'string', placeholder: '<name>', describe: 'who repairs it; by default its `Owner:`, else you' },
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
  summary: 'let the failures of a scenario not count for a while, or list where they do not',
  positionals: [
    { name: 'id', describe: 'without it, all in quarantine are listed', required: false, kind: 'scenario' },
  ],
  flags,
  examples: [
    ['vp scenarios quarantine', 'what is in quarantine, with the days left'],
    ['vp scenarios quarantine RT-GET-folder --until 14d --reason "the index is rebuilt"', 'a flaky one, for two weeks'],
  ],
  notes: `A scenario in quarantine runs as ever, and its results are shown as they are. Where it does not pass, no verdict becomes red by it: exit codes,
suites, report files, notifications. It comes back by itself at the end, at most ${maxQuarantineDays} days ahead, and \`vp scenarios release <ID>\` ends it
earlier. Runs that were judged before do not change. A second call replaces end, reason and owner. With --json: {"quarantines": […]}.`,
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
  const text = `scenario ${description}\nit runs, and its failures do not count; \`${release}\` ends that\n`;
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
