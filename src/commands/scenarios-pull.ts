import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { printableLine } from '../report/printable.ts';
import { type Paint, paintFor } from '../terminal/paint.ts';
import { command, type Flags, type Invocation } from './command.ts';
import { chosenInstance, connect } from './control-plane.ts';
import { scenarioFolder } from './scenario-files.ts';
import { catalogueFlags } from './scenarios/catalogue-flags.ts';
import { filesById, type Pair, pairsOf } from './scenarios/folder.ts';
import { type Pull, type Pulled, pullScenario } from './scenarios/pull.ts';
import { seenFiles } from './scenarios/seen.ts';

const flags = {
  force: { type: 'boolean', default: false, describe: 'overwrite files that were changed here' },
  ...catalogueFlags,
} as const satisfies Flags;

type PullFlags = typeof flags;

/** `vp scenarios pull`. */
export const scenariosPullCommand = command({
  name: 'scenarios pull',
  summary: 'write an instance’s catalogue into a folder of files',
  positionals: [{ name: 'folder', describe: 'where the files are or are to be', required: true }],
  flags,
  examples: [['vp scenarios pull scenarios', 'bring the files up to date']],
  notes:
    'A scenario is written to the file that has its ID, else to <ID>.md. Files that were changed here are kept as they ' +
    'are, and so are those that the catalogue does not know. Exit code 1: some were kept because they were changed.',
  run: (invocation) => pull(invocation),
});

async function pull({ flags, words: [named = '.'], json, environment }: Invocation<PullFlags>): Promise<ExitCode> {
  const { cwd, streams, variables, random } = environment;
  const folder = scenarioFolder(named, cwd);
  const client = await connect(flags, environment);
  const { instance_id: instance } = await chosenInstance(client, flags.instance);
  const seen = seenFiles(environment, client.transport.baseUrl, instance);
  const pairs = pairsOf(await client.scenarios.all(instance), filesById(folder, cwd));
  const pulled = await pullAll({ client, instance, seen, force: flags.force, folder, cwd, random }, pairs);
  const onlyHere = pairs.flatMap(({ entry, file }) => (file && !entry ? [file.file] : []));
  const document = { instance, ...countsOf(pulled), scenarios: pulled, only_here: onlyHere };
  if (json) streams.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  else streams.stdout.write(textOf(pulled, onlyHere, instance, paintFor(streams.stdout, variables)));
  return pulled.some(({ outcome }) => outcome === 'kept') ? exitCode.checkFailed : exitCode.done;
}

async function pullAll(pull: Pull, pairs: readonly Pair[]): Promise<Pulled[]> {
  const pulled: Pulled[] = [];
  try {
    for (const pair of pairs) if (pair.entry) pulled.push(await pullScenario(pull, pair, pair.entry));
  } finally {
    pull.seen.save();
  }
  return pulled;
}

function countsOf(pulled: readonly Pulled[]) {
  const count = (...outcomes: Pulled['outcome'][]): number =>
    pulled.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return {
    total: pulled.length,
    written: count('created', 'updated'),
    unchanged: count('unchanged'),
    kept: count('kept'),
  };
}

function textOf(pulled: readonly Pulled[], onlyHere: readonly string[], instance: string, paint: Paint): string {
  const { total, written, unchanged, kept } = countsOf(pulled);
  const lines = pulled.filter(({ outcome }) => outcome !== 'unchanged').map((one) => lineOf(one, paint));
  const parts = [`${unchanged} unchanged`, ...(kept > 0 ? [paint.broken(`${kept} kept as changed here`)] : [])];
  const others = onlyHere.length === 0 ? '' : `not in the catalogue: ${onlyHere.map(printableLine).join(', ')}\n`;
  const cure = kept > 0 ? 'see `vp scenarios diff`; --force overwrites them\n' : '';
  return `${lines.join('')}${written} of ${total} written from ${instance}, ${parts.join(', ')}\n${others}${cure}`;
}

function lineOf({ id, file, outcome, revision }: Pulled, paint: Paint): string {
  const word = (outcome === 'kept' ? paint.broken : paint.passed)(outcome);
  return `${word}  ${paint.strong(printableLine(id))}  revision ${revision} · ${printableLine(file)}\n`;
}
