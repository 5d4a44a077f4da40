import { command, type Flags, type Invocation } from '../../command-line/command.ts';
import type { Streams } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { isPrintableDiagnostic, renderDiagnostics } from '../../terminal/diagnostics.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { catalogueFlags } from './catalogue-flags.ts';
import { openPulledVersions } from './pulled-versions.ts';
import { type PushContext, type PushResult, pushFile } from './push-file.ts';
import { parseFile, requireUsableFiles, type UsableFile } from './read-scenarios.ts';
import { readScenarioFiles } from './scenario-files.ts';

const flags = {
  force: { type: 'boolean', default: false, describe: 'overwrite newer revisions in the catalogue' },
  ...catalogueFlags,
} as const satisfies Flags;

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
    ['vp scenarios push scenarios', 'a folder; unchanged scenarios are not sent'],
    ['vp scenarios push scenarios --force', 'from CI, where the files are the source of truth'],
  ],
  notes:
    'All files are validated first: with any error nothing is sent. A file is sent if its scenario is new, or if ' +
    'the catalogue still has the revision that this user last pulled or pushed with this file on this machine; ' +
    'else it is refused, see `vp scenarios diff`. Exit code 1: some files were refused.',
  run: (invocation) => push(invocation),
});

async function push({ flags, args, json, environment }: Invocation<PushFlags>): Promise<ExitCode> {
  const parsed = readScenarioFiles(args, environment.cwd).map((file) => parseFile(file, { variables: 'any' }));
  const files = await requireUsableFiles(parsed, json, environment);
  const client = await openClient(flags, environment);
  const { instance_id: instance } = await selectInstance(client, flags.instance);
  const versions = openPulledVersions(environment, client.transport.baseUrl, instance);
  const results = await pushAll({ client, instance, versions, force: flags.force }, files);
  const { streams, variables } = environment;
  if (json)
    streams.stdout.write(`${JSON.stringify({ instance, ...countOutcomes(results), scenarios: results }, null, 2)}\n`);
  else printResults(results, files, instance, streams, variables);
  if (results.some(({ outcome }) => outcome === 'invalid')) return exitCode.invalidInput;
  return results.some(({ outcome }) => outcome === 'refused') ? exitCode.checkFailed : exitCode.done;
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
    refused: count('refused', 'invalid'),
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
  const { total, sent, unchanged, refused } = countOutcomes(results);
  const parts = [`${unchanged} unchanged`, ...(refused > 0 ? [paint.failed(`${refused} refused`)] : [])];
  stdout.write(`${sent} of ${total} sent to ${instance}, ${parts.join(', ')}\n`);
  if (results.some(({ outcome }) => outcome === 'refused')) {
    stderr.write('see `vp scenarios diff`, then pull and change the files again, or overwrite with --force\n');
  }
}

function formatLine({ id, file, outcome, revision, reason }: PushResult, paint: TerminalPaint): string {
  const isSent = outcome === 'created' || outcome === 'updated';
  const label = (isSent ? paint.passed : paint.failed)(isSent ? outcome : 'refused');
  const facts = [...(isSent ? [`revision ${revision}`] : []), file, ...(reason === null ? [] : [reason])];
  return `${label}  ${paint.strong(escapeUnsafeLine(id))}  ${facts.map(escapeUnsafeLine).join(' · ')}\n`;
}
