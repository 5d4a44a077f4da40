import type { Streams } from '../environment/environment.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { printableLine } from '../report/printable.ts';
import { diagnosticsText, isShownDiagnostic } from '../terminal/diagnostics.ts';
import { type Paint, paintFor } from '../terminal/paint.ts';
import { command, type Flags, type Invocation } from './command.ts';
import { chosenInstance, connect } from './control-plane.ts';
import { parseFile, type UsableFile, usableFiles } from './read-scenarios.ts';
import { readScenarioFiles } from './scenario-files.ts';
import { catalogueFlags } from './scenarios/catalogue-flags.ts';
import { type Push, type Pushed, pushFile } from './scenarios/push.ts';
import { seenFiles } from './scenarios/seen.ts';

const flags = {
  force: { type: 'boolean', default: false, describe: 'overwrite what the catalogue has, whoever wrote it' },
  ...catalogueFlags,
} as const satisfies Flags;

type PushFlags = typeof flags;

/** `vp scenarios push`. */
export const scenariosPushCommand = command({
  name: 'scenarios push',
  summary: 'send scenario files to an instance’s catalogue',
  positionals: [{ name: 'file', describe: 'a file, or a folder with everything below it', required: true, many: true }],
  flags,
  examples: [
    ['vp scenarios push scenarios', 'a folder; what has not changed is not sent'],
    ['vp scenarios push scenarios --force', 'from CI, where the files are what counts'],
  ],
  notes:
    'Everything is validated first: with one mistake nothing is sent. A file is sent where its scenario is new, or where ' +
    'the catalogue still has the revision that was last pulled or pushed with this file by this user on this machine; ' +
    'else it is refused, see `vp scenarios diff`. Exit code 1: some files were refused.',
  run: (invocation) => push(invocation),
});

async function push({ flags, words, json, environment }: Invocation<PushFlags>): Promise<ExitCode> {
  const parsed = readScenarioFiles(words, environment.cwd).map((file) => parseFile(file, { variables: 'any' }));
  const files = await usableFiles(parsed, json, environment);
  const client = await connect(flags, environment);
  const { instance_id: instance } = await chosenInstance(client, flags.instance);
  const seen = seenFiles(environment, client.transport.baseUrl, instance);
  const pushed = await pushAll({ client, instance, seen, force: flags.force }, files);
  const { streams, variables } = environment;
  if (json) streams.stdout.write(`${JSON.stringify({ instance, ...countsOf(pushed), scenarios: pushed }, null, 2)}\n`);
  else tell(pushed, files, instance, streams, variables);
  if (pushed.some(({ outcome }) => outcome === 'invalid')) return exitCode.invalidInput;
  return pushed.some(({ outcome }) => outcome === 'refused') ? exitCode.checkFailed : exitCode.done;
}

/** What was seen is kept even where a later file breaks off. */
async function pushAll(push: Push, files: readonly UsableFile[]): Promise<Pushed[]> {
  const entries = await push.client.scenarios.all(push.instance);
  const byId = new Map(entries.map((entry) => [entry.scenario_id, entry]));
  const pushed: Pushed[] = [];
  try {
    for (const file of files) pushed.push(await pushFile(push, file, byId.get(file.scenario.id)));
  } finally {
    push.seen.save();
  }
  return pushed;
}

function countsOf(pushed: readonly Pushed[]) {
  const count = (...outcomes: Pushed['outcome'][]): number =>
    pushed.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return {
    total: pushed.length,
    sent: count('created', 'updated'),
    unchanged: count('unchanged'),
    refused: count('refused', 'invalid'),
  };
}

function tell(
  pushed: readonly Pushed[],
  files: readonly UsableFile[],
  instance: string,
  { stdout, stderr }: Streams,
  variables: Readonly<Record<string, string | undefined>>,
): void {
  const paint = paintFor(stdout, variables);
  for (const one of pushed) if (one.outcome !== 'unchanged') stdout.write(lineOf(one, paint));
  for (const { id, diagnostics } of pushed) {
    const file = files.find(({ scenario }) => scenario.id === id);
    const shown = diagnostics.filter(isShownDiagnostic);
    if (file && shown.length > 0) stderr.write(`\n${diagnosticsText(shown, file, paintFor(stderr, variables))}`);
  }
  const { total, sent, unchanged, refused } = countsOf(pushed);
  const parts = [`${unchanged} unchanged`, ...(refused > 0 ? [paint.failed(`${refused} refused`)] : [])];
  stdout.write(`${sent} of ${total} sent to ${instance}, ${parts.join(', ')}\n`);
  if (pushed.some(({ outcome }) => outcome === 'refused')) {
    stderr.write('see `vp scenarios diff`, then pull and change the files anew, or overwrite with --force\n');
  }
}

function lineOf({ id, file, outcome, revision, reason }: Pushed, paint: Paint): string {
  const good = outcome === 'created' || outcome === 'updated';
  const word = (good ? paint.passed : paint.failed)(good ? outcome : 'refused');
  const facts = [...(good ? [`revision ${revision}`] : []), file, ...(reason === null ? [] : [reason])];
  return `${word}  ${paint.strong(printableLine(id))}  ${facts.map(printableLine).join(' · ')}\n`;
}
