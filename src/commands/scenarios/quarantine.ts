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
  run: (invocation) => quarantine(invocation),
});

async function quarantine({
  flags: given,
  args: [id],
  json,
  environment,
}: Invocation<typeof flags>): Promise<ExitCode> {
  const { streams, clock, variables } = environment;
  const { until, reason, owner } = given;
  if (id === undefined) assertNoFlags({ until, reason, owner });
  const end = id === undefined ? '' : parseEnd(requireFlag('until', until), clock.nowMs(), 'vp scenarios quarantine');
  const input = { until: end, reason: id === undefined ? '' : requireFlag('reason', reason) };
  const client = await openClient(given, environment);
  const { instance_id: instance } = await selectInstance(client, given.instance);
  const isList = id === undefined;
  const quarantines = isList
    ? await client.quarantines.list(instance)
    : [await client.quarantines.set(instance, id, owner === undefined ? input : { ...input, owner })];
  if (json) {
    streams.stdout.write(`${JSON.stringify({ instance, quarantines }, null, 2)}\n`);
  } else if (isList) {
    const table = formatTable(quarantines, columns, streams.stdout, paintFor(streams.stdout, variables));
    streams.stdout.write(table || `no scenario of ${instance} is in quarantine\n`);
  } else {
    for (const entry of quarantines) {
      const release = `vp scenarios release ${entry.scenario_id} --instance ${instance}${formatControlPlaneFlag(client)}`;
      const text = escapeUnsafeLine(`${entry.scenario_id} is ${describeQuarantine(entry)}`);
      streams.stdout.write(`scenario ${text}\nit runs, and its failures do not count; \`${release}\` ends that\n`);
    }
  }
  return exitCode.done;
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
