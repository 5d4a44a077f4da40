import { command, type FlagDefinitions, type Invocation } from '../../command-line/command.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { catalogueFlags } from './catalogue-flags.ts';
import { type PullContext, type PullResult, pullScenario } from './pull-scenario.ts';
import { openPulledVersions } from './pulled-versions.ts';
import { resolveScenarioFolder } from './scenario-files.ts';
import { pairScenariosById, readFilesById, type ScenarioPair } from './scenario-folder.ts';

const flags = {
  force: { type: 'boolean', default: false, describe: 'overwrite files that were changed locally' },
  ...catalogueFlags,
} as const satisfies FlagDefinitions;

type PullFlags = typeof flags;

/** `vp scenarios pull`. */
export const scenariosPullCommand = command({
  name: 'scenarios pull',
  summary: 'write an instance’s catalogue to a folder of files',
  positionals: [{ name: 'folder', describe: 'target folder', required: true }],
  flags,
  examples: [['vp scenarios pull scenarios', 'write new scenarios, and update the files of the others']],
  notes:
    'Each scenario is written to the file that has its ID, or else to <ID>.md. Files with local changes are kept, and so are ' +
    'files that the catalogue does not have. Exit code 1: some files were kept because of local changes.',
  run: (invocation) => pull(invocation),
});

async function pull({ flags, args: [named = '.'], json, environment }: Invocation<PullFlags>): Promise<ExitCode> {
  const { cwd, streams, variables, random } = environment;
  const folder = resolveScenarioFolder(named, cwd);
  const client = await openClient(flags, environment);
  const { instance_id: instance } = await selectInstance(client, flags.instance);
  const versions = openPulledVersions(environment, client.transport.baseUrl, instance);
  const pairs = pairScenariosById(await client.scenarios.listAll(instance), readFilesById(folder, cwd));
  const results = await pullAll({ client, instance, versions, force: flags.force, folder, cwd, random }, pairs);
  const onlyInFolder = pairs.flatMap(({ entry, file }) => (file && !entry ? [file.file] : []));
  const document = { instance, ...countOutcomes(results), scenarios: results, only_here: onlyInFolder };
  if (json) streams.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  else streams.stdout.write(formatPull(results, onlyInFolder, instance, paintFor(streams.stdout, variables)));
  return results.some(({ outcome }) => outcome === 'kept') ? exitCode.checkFailed : exitCode.done;
}

async function pullAll(context: PullContext, pairs: readonly ScenarioPair[]): Promise<PullResult[]> {
  const results: PullResult[] = [];
  try {
    for (const pair of pairs) if (pair.entry) results.push(await pullScenario(context, pair, pair.entry));
  } finally {
    context.versions.save();
  }
  return results;
}

function countOutcomes(results: readonly PullResult[]) {
  const count = (...outcomes: PullResult['outcome'][]): number =>
    results.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return {
    total: results.length,
    written: count('created', 'updated'),
    unchanged: count('unchanged'),
    kept: count('kept'),
  };
}

function formatPull(
  results: readonly PullResult[],
  onlyInFolder: readonly string[],
  instance: string,
  paint: TerminalPaint,
): string {
  const { total, written, unchanged, kept: locallyChanged } = countOutcomes(results);
  const lines = results.filter(({ outcome }) => outcome !== 'unchanged').map((result) => formatLine(result, paint));
  const parts = [
    `${unchanged} unchanged`,
    ...(locallyChanged > 0 ? [paint.broken(`${locallyChanged} kept because changed locally`)] : []),
  ];
  const othersNote =
    onlyInFolder.length === 0 ? '' : `not in the catalogue: ${onlyInFolder.map(escapeUnsafeLine).join(', ')}\n`;
  const hint = locallyChanged > 0 ? 'see `vp scenarios diff`; overwrite them with --force\n' : '';
  return `${lines.join('')}${written} of ${total} written from ${instance}, ${parts.join(', ')}\n${othersNote}${hint}`;
}

function formatLine({ id, file, outcome, revision }: PullResult, paint: TerminalPaint): string {
  const label = (outcome === 'kept' ? paint.broken : paint.passed)(outcome);
  return `${label}  ${paint.strong(escapeUnsafeLine(id))}  revision ${revision} · ${escapeUnsafeLine(file)}\n`;
}
