import type { Client } from '../client/client.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { printableLine } from '../report/printable.ts';
import { type Paint, paintFor } from '../terminal/paint.ts';
import { command, type Invocation } from './command.ts';
import { chosenInstance, connect } from './control-plane.ts';
import { catalogueFlags } from './scenarios/catalogue-flags.ts';
import { filesById, isSame, type Pair, pairsOf } from './scenarios/folder.ts';
import { unifiedDiff } from './scenarios/unified-diff.ts';

/** `vp scenarios diff`. */
export const scenariosDiffCommand = command({
  name: 'scenarios diff',
  summary: 'show how a folder differs from an instance’s catalogue',
  positionals: [{ name: 'folder', describe: 'folder of scenario files', required: true }],
  flags: catalogueFlags,
  examples: [['vp scenarios diff scenarios', '`-` is the catalogue, `+` the folder']],
  notes: 'Exit code 0: both are the same. 1: they differ.',
  run: (invocation) => compare(invocation),
});

type Difference = {
  readonly scenario_id: string;
  readonly status: 'changed' | 'only_in_catalogue' | 'only_in_folder';
  readonly file: string | null;
  readonly revision: number | null;
  readonly diff: string;
};

async function compare({
  flags,
  words: [folder = '.'],
  json,
  environment,
}: Invocation<typeof catalogueFlags>): Promise<ExitCode> {
  const { cwd, streams, variables } = environment;
  const client = await connect(flags, environment);
  const { instance_id: instance } = await chosenInstance(client, flags.instance);
  const pairs = pairsOf(await client.scenarios.all(instance), filesById(folder, cwd)).filter((pair) => !isSame(pair));
  const paint = paintFor(streams.stdout, variables, json);
  const differences: Difference[] = [];
  for (const pair of pairs) {
    const difference = await differenceOf(pair, client, instance, paint);
    differences.push(difference);
    if (!json) streams.stdout.write(textOf(difference, paint));
  }
  if (json) streams.stdout.write(`${JSON.stringify({ instance, differences }, null, 2)}\n`);
  else if (differences.length === 0) streams.stdout.write(`${folder} and the catalogue of ${instance} are the same\n`);
  return differences.length > 0 ? exitCode.checkFailed : exitCode.done;
}

async function differenceOf(
  { id, entry, file }: Pair,
  client: Client,
  instance: string,
  paint: Paint,
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

function textOf({ scenario_id, status, file, revision, diff }: Difference, paint: Paint): string {
  if (status === 'changed') return diff;
  const id = paint.strong(printableLine(scenario_id));
  if (status === 'only_in_folder')
    return `${paint.passed('only in the folder')}  ${id}  ${printableLine(file ?? '')}\n`;
  return `${paint.failed('only in the catalogue')}  ${id}  revision ${revision}\n`;
}
