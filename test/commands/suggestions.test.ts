/**
 * Pastes every command that the product can print: the fixes and sentences of errors, next steps, texts of doctor, help and guides.
 * They are found in the sources: a command between backticks, or an example of a help page.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findCommand } from '../../src/command-line/find-command.ts';
import { parseLine } from '../../src/command-line/parse-line.ts';
import { completeSuggestions, listFlagsForSuggestions } from '../../src/command-line/suggestions.ts';
import { catalogue } from '../../src/commands/catalogue.ts';
import { storeFolderFlag } from '../../src/commands/role-flags.ts';
import { toVpError } from '../../src/errors/vp-error.ts';
import { respondWithJson } from '../targets/http-target.ts';
import { listSuggestions, toSample } from './suggestion-texts.ts';
import { startTestControlPlane } from './test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from './test-workspace.ts';

const suggestions = await listSuggestions();

/** Help, notes and descriptions name a command as a whole; a fix and a next step must be a line to paste. */
const namedOnly =
  /^src\/(environment\/variables|console\/|commands\/(?!suggest|serve\/(serve|embedded)))|^src\/(dashboard|hub|server|agents)/;

async function findProblem(line: string, source = ''): Promise<string | undefined> {
  try {
    const words = line.split(' ').slice(1);
    const match = findCommand(catalogue, words);
    if (match.kind === 'command' && !words.includes('--help')) parseLine(await match.entry.load(), match.args, {});
    return undefined;
  } catch (thrown) {
    const { code, message } = toVpError(thrown);
    return code === 'COMMAND_WORD_MISSING' && namedOnly.test(source) ? undefined : message;
  }
}

t.test('every command that is printed can be parsed', async (t) => {
  t.ok(suggestions.length > 250, `${suggestions.length} commands were found`);
  const problems: string[] = [];
  for (const { source, line } of suggestions) {
    const problem = await findProblem(toSample(line), source);
    if (problem !== undefined) problems.push(`${source}: ${line}: ${problem}`);
  }
  t.same(problems, []);
});

t.test('a command stays valid with the flags that a call may carry into it', async (t) => {
  const givenFlags = [
    { name: 'control-plane', value: 'http://127.0.0.1:7701' },
    { name: 'data', value: '/srv/vp data' },
    { name: 'product-dir', value: "it's mine" },
    { name: 'instance', value: 'shop' },
    { name: 'allow-insecure', value: true },
  ] as const;
  const problems: string[] = [];
  for (const { source, line } of suggestions) {
    const completed = await completeSuggestions(`\`${toSample(line)}\``, givenFlags, catalogue);
    const words = completed
      .slice(1, -1)
      .replace(/'it'\\''s mine'/, 'mine')
      .replace("'/srv/vp data'", '/srv/vp');
    const problem = await findProblem(words, source);
    if (problem !== undefined) problems.push(`${source}: ${completed}: ${problem}`);
  }
  t.same(problems, []);
});

t.test('commands on the folder of a control plane hand it on to the commands that they suggest', async (t) => {
  const silent: string[] = [];
  for (const { name, load } of catalogue) {
    if ((await load()).flags.data !== storeFolderFlag.data) continue;
    const flags = listFlagsForSuggestions(name, [`--data=/srv/vp`]);
    const next = await completeSuggestions('next: start `vp serve`', flags, catalogue);
    if (next !== 'next: start `vp serve --data /srv/vp`') silent.push(name);
  }
  t.same(silent, []);
});

/** Commands that end by themselves, and read only or write to the workspace of this test. */
const harmless = new Set([
  ...['use', 'whoami', 'runs', 'runs show', 'instances', 'instances show', 'scenarios list', 'scenarios diff', 'docs'],
  ...['guide', 'validate', 'validate-config', 'agent-token list', 'hubs', 'tokens list', 'run', 'prove'],
  ...['failures', 'failures show', 'compare', 'health', 'suites', 'suites show', 'schedules list', 'schedules next'],
  ...['notifications list', 'notifications log', 'scenarios quarantine', 'scenarios release', 'scenarios history'],
  ...['approvals list', 'approvals show', 'usage', 'hubs tools', 'hubs export', 'hubs diff', 'hubs budgets'],
  ...['coverage', 'doctor', 'migrate', 'import', 'new', 'scenarios push', 'scenarios delete', 'scenarios restore'],
  ...['instances create'],
]);

function findName(line: string): string | undefined {
  const match = findCommand(catalogue, line.split(' ').slice(1));
  return match.kind === 'command' ? match.entry.name : undefined;
}

/** Questions need a terminal, a fix of doctor needs the containers of a machine, and a migration an older store. */
function isHarmless(line: string): boolean {
  const name = findName(line);
  if (name === undefined || !harmless.has(name) || /--watch|--direct/.test(line)) return false;
  if (name === 'new') return line.includes('--yes');
  if (name === 'migrate') return line.includes('--check');
  return name !== 'doctor' || !line.includes('--fix');
}

/** What the texts name is elsewhere here; nothing else of this machine is called. */
function withAddresses(line: string, controlPlane: string, target: string): string {
  return line
    .replaceAll('http://127.0.0.1:7701', controlPlane)
    .replaceAll(/(--(?:base-url|against)[ =])\S+/g, (_all, flag: string) => `${flag}${target}`);
}

t.test('what can run here runs when pasted, from another folder and with nothing chosen', async (t) => {
  const target = await startTarget(t, respondWithJson({ items: [] }));
  const workspace = createWorkspace(t, 'http://127.0.0.1:1', {
    'scenarios/a.md': scenarioText('RT-GET-document'),
    'app.log': '',
  });
  const plane = await startTestControlPlane(t, workspace);
  await plane.registerInstance('shop');
  await plane.writeScenario('shop', 'RT-GET-document', scenarioText('RT-GET-document'));
  for (const folder of ['product', 'test', 'app', 'tests'])
    mkdirSync(join(workspace.folder, folder), { recursive: true });
  const givenFlags = [{ name: 'control-plane', value: plane.url }];
  const lines = new Set(
    suggestions.map(({ line }) => withAddresses(toSample(line), plane.url, target.origin)).filter(isHarmless),
  );
  t.ok(lines.size > 15, `${lines.size} commands run`);
  const missing = new Set(harmless);
  for (const line of lines) missing.delete(findName(line) ?? '');
  t.same([...missing], [], 'each has a line');
  const wrong: string[] = [];
  for (const line of lines) {
    const completed = (await completeSuggestions(`\`${line}\``, givenFlags, catalogue)).slice(1, -1);
    // Without an executor a queued run would wait: its line was parsed above.
    if (/^vp (run|prove) /.test(completed) && !completed.includes('--local')) continue;
    const { code, stdout, stderr } = await workspace.vp(completed.split(' ').slice(1));
    // Whatever does not exist here may be refused; how it was called, and where it went, must be right.
    if (
      /CONTROL_PLANE_UNREACHABLE|FLAG_|COMMAND_(?!WORD_MISSING)|CREDENTIAL_ABSENT|INTERNAL|\n {4}at /.test(
        stdout + stderr,
      )
    )
      wrong.push(`${completed}: ${code} ${stdout}${stderr}`);
  }
  t.same(wrong, []);
});
