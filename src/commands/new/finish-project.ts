/** Writes the files of a new project and runs its scenario. */
import { join } from 'node:path';
import { nameProgram } from '../../environment/running-binary.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { toScenarioHeader } from '../../inspection/credential.ts';
import { isSafeMethod } from '../../inspection/target-probe.ts';
import type { ConfigProblem } from '../../project/config-problem.ts';
import { requireConfig } from '../../project/load-project.ts';
import { parseProject } from '../../project/parse-project.ts';
import { nameScenario, renderScenario } from '../../scenario/scenario-draft.ts';
import { paintFor } from '../../terminal/paint.ts';
import { renderConfig } from './config-file.ts';
import { describeDatabaseAccess } from './database-answer.ts';
import { type Answers, chooseProductDir, chooseScenarioFolder, type NewCall, type NewContext } from './new-context.ts';
import {
  assertEnvUntracked,
  assertNothingReplaced,
  formatDiff,
  type PlannedFile,
  planEnv,
  planFile,
  planGitignore,
  writeFiles,
} from './new-files.ts';
import { describeCheckCount, printFiles, printNext } from './new-output.ts';
import { formatCommandLine, type LocalFlagValues, listLocalFlags, type NextCommand } from './paste.ts';
import { runInProcess } from './run-in-process.ts';

/** Writes and runs. The files of the plan are valid, or nothing is written. */
export async function finishProject(context: NewContext, answers: Answers): Promise<ExitCode> {
  const { call, output, productDir, extraRoots } = context;
  const { flags, json, environment } = call;
  const { stdout } = environment.streams;
  const paint = paintFor(stdout, environment.variables);
  const { files, id, project } = planFiles(context, answers);
  if (flags['dry-run']) {
    for (const file of files) output.line(formatDiff(file, paint));
    if (json) stdout.write(`${JSON.stringify({ dry_run: true, files: files.map(toFileDocument) }, null, 2)}\n`);
    return exitCode.done;
  }
  if (!flags.force) await confirmReplacement(context, files);
  if (files.some(({ isSecret }) => isSecret)) await assertEnvUntracked(productDir, environment);
  const database = answers.databaseAnswers && (await describeDatabaseAccess(project, extraRoots, environment));
  if (database && 'tables' in database)
    output.seen('database', `readable, ${database.tables} ${database.tables === 1 ? 'table' : 'tables'}`);
  if (database && 'problem' in database) output.warn('database', `${database.problem}: ${database.cure}`);
  writeFiles(files, environment);
  printFiles(files, output, paint);
  const local = listLocalFlags(toLocalFlags(call, answers));
  const args = ['--local', id, ...local];
  output.line(`\n$ ${formatCommandLine(['vp', 'run', ...args])}\n`);
  const { code, document } = await runInProcess(args, call);
  const next = listNext(id, local, answers, call);
  printNext(next, output, { paint, program: nameProgram(environment) });
  if (json)
    stdout.write(
      `${JSON.stringify({ files: files.map(toFileDocument), scenario: id, ...describeSeen(answers), run: document, next, exit_code: code }, null, 2)}\n`,
    );
  return code;
}

function planFiles({ call, productDir }: NewContext, answers: Answers) {
  const { environment } = call;
  const { credential, inspection, databaseAnswers, compose, requestText } = answers;
  const [verb = 'GET'] = requestText.split(' ', 1);
  const method = isSafeMethod(verb) ? verb : 'GET';
  const deploy = compose && { project: compose.project, network: compose.network };
  const configText = renderConfig({
    ...{ name: answers.name, baseUrl: compose?.baseUrl ?? answers.baseUrl, credential, deploy },
    ...{ database: databaseAnswers?.database, trace: inspection.trace },
  });
  const variables = [...(credential ? [credential] : []), ...(databaseAnswers ? [databaseAnswers.variable] : [])];
  const env = planEnv(productDir, variables, environment);
  const name = nameScenario(method, inspection.path, new Set()) ?? { id: 'RT-GET-first', name: 'first' };
  const header = credential && toScenarioHeader(credential);
  const headers = [...(header ? [header] : []), ...inspection.headers];
  const draft = { ...name, tags: ['http'], method, path: inspection.path, headers, checks: inspection.checks };
  const scenario = renderScenario({ ...draft, body: undefined });
  const file = join(chooseScenarioFolder(call), `${name.id}.md`);
  const planned = [
    planFile(join(productDir, 'platform-config.yaml'), configText, 'where the application is', environment),
    ...(env ? [env] : []),
    planGitignore(productDir, environment),
    planFile(file, scenario, describeCheckCount(draft.checks.length), environment),
  ];
  return { files: planned, id: name.id, project: requireValidProject(configText, env?.text, productDir) };
}

/** Throws the problem of a config that would be written, before anything is. */
function requireValidProject(configText: string, envText: string | undefined, productDir: string) {
  const problems: ConfigProblem[] = [];
  const configFile = join(productDir, 'platform-config.yaml');
  const texts = { configText, configFile, envText, envFile: join(productDir, '.env') };
  const config = parseProject(texts, { use: 'local' }, (problem) => problems.push(problem));
  return requireConfig({ config, problems, configFile });
}

async function confirmReplacement(
  { call, questions, output }: NewContext,
  files: readonly PlannedFile[],
): Promise<void> {
  const { environment } = call;
  const replaced = files.filter(({ change }) => change === 'replace');
  if (replaced.length === 0 || !questions) return assertNothingReplaced(files, environment);
  const paint = paintFor(environment.streams.stdout, environment.variables);
  for (const file of replaced) output.line(formatDiff(file, paint));
  const label = `Replace ${replaced.map(({ path }) => path).join(' and ')}?`;
  const choices = [
    { value: false, label: 'no', hint: 'write nothing' },
    { value: true, label: 'yes', hint: undefined },
  ];
  if (!(await questions.choose(label, choices))) throw vpError('NEW_CANCELLED', {});
}

/** Flags that `vp run --local` needs in this folder, because the files are not where it looks by itself. */
function toLocalFlags({ flags }: NewCall, { log, compose, baseUrl }: Answers): LocalFlagValues {
  return {
    'base-url': compose ? baseUrl : undefined,
    'product-dir': flags['product-dir'],
    'test-dir': flags['test-dir'],
    log,
    ca: flags.ca,
  };
}

function listNext(id: string, local: readonly string[], { otherPath, compose }: Answers, call: NewCall): NextCommand[] {
  const vp = (...words: string[]): string => formatCommandLine(['vp', ...words]);
  const from = otherPath === undefined ? ['--help'] : ['--from', `GET ${otherPath}`, ...local];
  const productDir = chooseProductDir(call);
  const folders = ['--product-dir', productDir, '--test-dir', chooseScenarioFolder(call)];
  const rest = local.filter((_, index) => !['--product-dir', '--test-dir'].includes(local[index - (index % 2)] ?? ''));
  const onboarding = { command: vp('preflight', '--product-dir', productDir), purpose: 'what `vp onboard` needs' };
  return [
    { command: vp('prove', '--local', id, ...local), purpose: 'find checks that cannot fail' },
    { command: vp('new', 'scenario', ...from), purpose: 'the next scenario' },
    {
      command: vp('run', '--local', ...local),
      purpose: 'all scenarios, here or in CI; exit code 1 if a check is false',
    },
    { command: vp('serve', '--embedded', ...folders, ...rest), purpose: 'a console with history' },
    ...(compose ? [onboarding] : []),
  ];
}

function toFileDocument({ path, change }: PlannedFile) {
  return { path, change };
}

function describeSeen({ baseUrl, requestText, inspection, credential }: Answers) {
  const { checks, notes, trace } = inspection;
  const log = trace
    ? {
        format: trace.guess.format,
        level_field: trace.guess.level?.field ?? null,
        correlation_field: trace.field ?? null,
        channel: trace.channel?.name ?? null,
      }
    : null;
  return { base_url: baseUrl, request: requestText, auth: credential?.kind ?? 'none', checks, notes, log };
}
