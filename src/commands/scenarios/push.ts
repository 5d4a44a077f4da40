import { command, type FlagDefinitions, type Invocation } from '../../command-line/command.ts';
import type { ImportSchedulesResponse } from '../../contract/schedules-api.ts';
import type { Streams } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { isPrintableDiagnostic, renderDiagnostics } from '../../terminal/diagnostics.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { catalogueFlags } from './catalogue-flags.ts';
import { openPulledVersions } from './pulled-versions.ts';
import { type PushContext, type PushResult, pushFile } from './push-file.ts';
import { parseFile, requireUsableFiles, type UsableFile } from './read-scenarios.ts';
import { readScenarioFiles } from './scenario-files.ts';
import { isScheduleFile, readScheduleFile } from './schedule-file.ts';

const flags = {
  force: { type: 'boolean', default: false, describe: 'overwrite changes in the catalogue with the files' },
  keep: {
    type: 'boolean',
    default: false,
    describe: 'settle conflicts in favour of the catalogue',
  },
  ...catalogueFlags,
} as const satisfies FlagDefinitions;

type PushFlags = typeof flags;

/** `vp scenarios push`. */
export const scenariosPushCommand = command({
  name: 'scenarios push',
  summary: 'send scenario files to an instance’s catalogue',
  positionals: [
    { name: 'file', describe: 'a file, or a folder, which is read recursively', required: true, many: true },
  ],
  flags,
  examples: [
    ['vp scenarios push scenarios', 'send a folder; unchanged scenarios are skipped'],
    ['vp scenarios push scenarios --force', 'in CI, where the files are the source of truth'],
  ],
  notes:
    'All files are validated first; if one has an error, nothing is sent. Each file is compared with the catalogue, and with ' +
    'the revision that this machine last pulled or pushed. If only the file has changed, it is sent. If only the catalogue ' +
    'has changed, it is kept, even if the scenario was deleted or renamed there. If both have changed, it is a conflict: ' +
    'compare them with `vp scenarios diff`, then push with --force or --keep. If the folder has a `schedules.yaml`, its ' +
    'schedules are sent too, and replace those of an earlier file. Exit code 1: there are conflicts.',
  run: (invocation) => push(invocation),
});

async function push({ flags, args, json, environment }: Invocation<PushFlags>): Promise<ExitCode> {
  if (flags.force && flags.keep)
    throw vpError('FLAG_INVALID', { command: 'vp scenarios push', flag: '--keep', problem: 'contradicts --force' });
  const prefer = flags.force ? 'file' : flags.keep ? 'catalogue' : undefined;
  const schedules = readScheduleFile(args, environment.cwd);
  const scenarioPaths = args.filter((path) => !isScheduleFile(path));
  const parsed = readScenarioFiles(scenarioPaths, environment.cwd).map((file) => parseFile(file, { variables: 'any' }));
  const files = await requireUsableFiles(parsed, json, environment);
  const client = await openClient(flags, environment);
  const { instance_id: instance } = await selectInstance(client, flags.instance);
  const versions = openPulledVersions(environment, client.transport.baseUrl, instance);
  // First, so that a refused file of schedules sends nothing.
  const imported = schedules && (await client.schedules.import(instance, schedules)).schedules;
  const results = await pushAll({ client, instance, versions, prefer, environment }, files);
  const { streams, variables } = environment;
  const document = {
    instance,
    ...countOutcomes(results),
    scenarios: results,
    ...(imported ? { schedules: imported } : {}),
  };
  if (json) streams.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  else printResults(results, files, instance, streams, variables);
  if (!json && imported) printSchedules(imported, instance, streams);
  if (results.some(({ outcome }) => outcome === 'invalid')) return exitCode.invalidInput;
  return results.some(({ outcome }) => outcome === 'conflict') ? exitCode.checkFailed : exitCode.done;
}

/** Saves the pushed versions even if a later file fails. */
async function pushAll(push: PushContext, files: readonly UsableFile[]): Promise<PushResult[]> {
  const entries = await push.client.scenarios.listAll(push.instance);
  const byId = new Map(entries.map((entry) => [entry.scenario_id, entry]));
  const results: PushResult[] = [];
  try {
    for (const file of files) results.push(await pushFile(push, file, byId.get(file.scenario.id)));
  } finally {
    push.versions.save();
  }
  return results;
}

function countOutcomes(results: readonly PushResult[]) {
  const count = (...outcomes: PushResult['outcome'][]): number =>
    results.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return {
    total: results.length,
    sent: count('created', 'updated'),
    unchanged: count('unchanged'),
    kept: count('kept'),
    conflicts: count('conflict'),
    refused: count('invalid'),
  };
}

function printResults(
  results: readonly PushResult[],
  files: readonly UsableFile[],
  instance: string,
  { stdout, stderr }: Streams,
  variables: Readonly<Record<string, string | undefined>>,
): void {
  const paint = paintFor(stdout, variables);
  for (const result of results) if (result.outcome !== 'unchanged') stdout.write(formatLine(result, paint));
  for (const { id, diagnostics } of results) {
    const file = files.find(({ scenario }) => scenario.id === id);
    const printable = diagnostics.filter(isPrintableDiagnostic);
    if (file && printable.length > 0)
      stderr.write(`\n${renderDiagnostics(printable, file, paintFor(stderr, variables))}`);
  }
  const { total, sent, unchanged, kept: retainedCount, conflicts, refused } = countOutcomes(results);
  const parts = [
    `${unchanged} unchanged`,
    ...(retainedCount > 0 ? [`${retainedCount} kept as in the catalogue`] : []),
    ...(conflicts > 0 ? [paint.failed(conflicts === 1 ? '1 conflict' : `${conflicts} conflicts`)] : []),
    ...(refused > 0 ? [paint.failed(`${refused} refused`)] : []),
  ];
  stdout.write(`${sent} of ${total} sent to ${instance}, ${parts.join(', ')}\n`);
  if (conflicts > 0)
    stderr.write(
      'see `vp scenarios diff`; then push with --force to overwrite the catalogue, or with --keep to keep it, or pull and change the files again\n',
    );
}

function printSchedules(
  schedules: ImportSchedulesResponse['schedules'],
  instance: string,
  { stdout }: Pick<Streams, 'stdout'>,
): void {
  const changed = schedules.filter(({ outcome }) => outcome !== 'unchanged');
  for (const { schedule_id: id, outcome } of changed) stdout.write(`${outcome}  schedule ${id}\n`);
  const remaining = schedules.filter(({ outcome }) => outcome !== 'removed').length;
  const count = remaining === 1 ? '1 schedule' : `${remaining} schedules`;
  stdout.write(`${count} of ${instance} as in schedules.yaml, ${changed.length} changed\n`);
}

function formatLine({ id, file, outcome, revision, reason }: PushResult, paint: TerminalPaint): string {
  const isSent = outcome === 'created' || outcome === 'updated';
  const label = (isSent || outcome === 'kept' ? paint.passed : paint.failed)(
    outcome === 'invalid' ? 'refused' : outcome,
  );
  const facts = [...(isSent ? [`revision ${revision}`] : []), file, ...(reason === null ? [] : [reason])];
  return `${label}  ${paint.strong(escapeUnsafeLine(id))}  ${facts.map(escapeUnsafeLine).join(' · ')}\n`;
}
