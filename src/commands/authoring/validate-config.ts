import { dirname, join, resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import type { Environment, TextSink } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { createFolderContext } from '../../onboarding/agent-folders/file-access.ts';
import { findEnvExposure } from '../../onboarding/agent-folders/token-protection.ts';
import { type ConfigProblem, formatConfigProblem, toProblemJson } from '../../project/config-problem.ts';
import { hideValue } from '../../project/hide-value.ts';
import { type LoadedProject, loadProject } from '../../project/load-project.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import { formatNounCount } from '../../terminal/count.ts';
import { guessProductFolder, resolveFromCwd } from './placeholders.ts';

/** `vp validate-config`. */
export const validateConfigCommand = command({
  name: 'validate-config',
  summary: 'check platform-config.yaml and its .env, and list all problems',
  positionals: [
    { name: 'folder', describe: 'the product folder (default: this folder or ./product)', required: false },
  ],
  flags: {
    tier: {
      type: 'string',
      choices: ['compose', 'local'],
      describe: 'compose: also require what onboarding needs; local: accept localhost',
    },
    schema: { type: 'boolean', default: false, describe: 'print the JSON Schema of the file, for editors, and exit' },
  },
  examples: [
    ['vp validate-config', 'check the config of this folder'],
    ['vp validate-config product --tier compose', 'also check what onboarding needs'],
    ['vp validate-config --schema > platform-config.schema.json', 'for completion and validation in an editor'],
  ],
  notes: 'Exit code 0: no errors (there may be warnings). 2: errors.',
  async run({ flags, args, json, environment }) {
    const { stdout } = environment.streams;
    if (flags.schema) return printSchema(stdout);
    const use = flags.tier === 'compose' || flags.tier === 'local' ? flags.tier : 'any';
    const loaded = await addExposure(
      await loadProject(args[0] ?? resolveFromCwd(guessProductFolder(environment.cwd), environment.cwd), { use }),
      environment,
    );
    stdout.write(json ? renderJson(loaded) : renderText(loaded));
    return loaded.config ? exitCode.done : exitCode.invalidInput;
  },
});

/** Adds a warning where git tracks the `.env`, or would add it. */
async function addExposure(loaded: LoadedProject, environment: Environment): Promise<LoadedProject> {
  const folder = dirname(loaded.configFile);
  const exposure = await findEnvExposure(resolve(environment.cwd, folder), createFolderContext(environment));
  if (!exposure) return loaded;
  const location = {
    severity: 'warning',
    file: join(folder, '.env'),
    position: undefined,
    excerpt: undefined,
  } as const;
  return { ...loaded, problems: [...loaded.problems, { ...exposure, ...location }] };
}

async function printSchema(stdout: TextSink): Promise<ExitCode> {
  const { default: schema } = await import('../../project/platform-config.schema.json', { with: { type: 'json' } });
  stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  return exitCode.done;
}

function renderJson({ config, problems, configFile }: LoadedProject): string {
  const listed = problems.map(toProblemJson);
  const document = { valid: config !== undefined, file: configFile, ...countProblems(problems), problems: listed };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function renderText({ config, problems, configFile }: LoadedProject): string {
  const { errors, warnings } = countProblems(problems);
  const problemLines = problems.map((problem) => `${formatConfigProblem(problem)}\n\n`).join('');
  const counts = [formatNounCount(errors, 'error'), formatNounCount(warnings, 'warning')]
    .filter((text) => text !== '')
    .join(', ');
  if (!config) return `${problemLines}${configFile}: ${counts}\n`;
  return `${problemLines}${configFile}: valid${counts === '' ? '' : `, ${counts}`}\n${formatConfig(config)}`;
}

function countProblems(problems: readonly ConfigProblem[]): { errors: number; warnings: number } {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return { errors, warnings: problems.length - errors };
}

/** A summary of the config, for checking that it says what was meant. */
function formatConfig({ project, targets, scenarioVariables, secretValues }: ProjectConfig): string {
  const { http, database, auth } = targets;
  const variables = [...scenarioVariables.keys()].join(', ');
  const facts = [
    ['project', project.name],
    ['target', http.baseUrl],
    ['token', auth ? `\${${auth.bearerToken.name}}` : 'none'],
    ['database', database ? `${database.username} at ${database.host}:${database.port}/${database.database}` : 'none'],
    ['variables', variables === '' ? 'none' : variables],
  ];
  const hide = (text: string): string =>
    secretValues.reduce((hidden, secret) => hideValue(hidden, secret, '[redacted]'), text);
  return facts.map(([name = '', value = '']) => `  ${name.padEnd(10)} ${hide(value)}\n`).join('');
}
