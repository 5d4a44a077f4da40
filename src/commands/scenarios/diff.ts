import type { Client } from '../../client/client.ts';
import { command, type Invocation } from '../../command-line/command.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { catalogueFlags } from './catalogue-flags.ts';
import { createMissingError, pathExists } from './scenario-files.ts';
import { hasSameText, pairScenariosById, readFilesById, type ScenarioPair } from './scenario-folder.ts';
import { unifiedDiff } from './unified-diff.ts';

/** `vp scenarios diff`. */
export const scenariosDiffCommand = command({
  name: 'scenarios diff',
  summary: 'show the differences between a folder and an instance’s catalogue',
  positionals: [{ name: 'folder', describe: 'folder of scenario files', required: true }],
  flags: catalogueFlags,
  examples: [['vp scenarios diff scenarios', '`-` is the catalogue, `+` the folder']],
  notes: 'Exit code 0: no differences. 1: there are differences.',
  run: (invocation) => printDifferences(invocation),
});

type Difference = {
  readonly scenario_id: string;
  readonly status: 'changed' | 'only_in_catalogue' | 'only_in_folder';
  readonly file: string | null;
  readonly revision: number | null;
  readonly diff: string;
};

async function printDifferences({
  flags,
  args: [folder = '.'],
  json,
  environment,
}: Invocation<typeof catalogueFlags>): Promise<ExitCode> {
  const { cwd, streams, variables } = environment;
  // Compared with an empty catalogue, a mistyped folder would be the same.
  if (!pathExists(folder, cwd)) throw createMissingError(folder, cwd);
  const client = await openClient(flags, environment);
  const { instance_id: instance } = await selectInstance(client, flags.instance);
  const pairs = pairScenariosById(await client.scenarios.listAll(instance), readFilesById(folder, cwd)).filter(
    (pair) => !hasSameText(pair),
  );
  const paint = paintFor(streams.stdout, variables, json);
  const differences: Difference[] = [];
  for (const pair of pairs) {
    const difference = await computeDifference(pair, client, instance, paint);
    differences.push(difference);
    if (!json) streams.stdout.write(formatDifference(difference, paint));
  }
  if (json) streams.stdout.write(`${JSON.stringify({ instance, differences }, null, 2)}\n`);
  else if (differences.length === 0) streams.stdout.write(`${folder} and the catalogue of ${instance} are the same\n`);
  return differences.length > 0 ? exitCode.checkFailed : exitCode.done;
}

async function computeDifference(
  { id, entry, file }: ScenarioPair,
  client: Client,
  instance: string,
  paint: TerminalPaint,
): Promise<Difference> {
  const facts = { scenario_id: id, file: file?.file ?? null, revision: entry?.revision ?? null };
  if (!entry) return { ...facts, status: 'only_in_folder', diff: '' };
  if (!file) return { ...facts, status: 'only_in_catalogue', diff: '' };
  const { text, revision } = await client.scenarios.get(instance, id);
  const diff = unifiedDiff(
    { name: `${instance}/${id}@${revision}`, text },
    { name: file.file, text: file.text },
    paint,
  );
  return { ...facts, status: 'changed', diff };
}

function formatDifference({ scenario_id, status, file, revision, diff }: Difference, paint: TerminalPaint): string {
  if (status === 'changed') return diff;
  const id = paint.strong(escapeUnsafeLine(scenario_id));
  if (status === 'only_in_folder')
    return `${paint.passed('only in the folder')}  ${id}  ${escapeUnsafeLine(file ?? '')}\n`;
  return `${paint.failed('only in the catalogue')}  ${id}  revision ${revision}\n`;
}
