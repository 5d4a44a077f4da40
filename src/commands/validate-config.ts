import type { TextSink } from '../environment/environment.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { type LoadedProject, loadProject } from '../project/load.ts';
import { type ConfigProblem, problemJson, problemText } from '../project/problem.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import { command } from './command.ts';

/** `vp validate-config`: tells every problem of a config at once. */
export const validateConfigCommand = command({
  name: 'validate-config',
  summary: 'check platform-config.yaml and its .env, and tell every problem at once',
  positionals: [{ name: 'folder', describe: 'the product folder (default: this one)', required: false }],
  flags: {
    tier: {
      type: 'string',
      choices: ['compose', 'local'],
      describe: 'compose: demand what onboarding needs; local: take localhost for right',
    },
    schema: { type: 'boolean', default: false, describe: 'print the JSON Schema of the file, for editors, and end' },
  },
  examples: [
    ['vp validate-config', 'check the config of this folder'],
    ['vp validate-config product --tier compose', 'check also what onboarding needs'],
    ['vp validate-config --schema > platform-config.schema.json', 'let an editor complete and check while you type'],
  ],
  notes: 'Exit code 0: no errors (there may be warnings). 2: errors.',
  async run({ flags, words, json, environment }) {
    const { stdout } = environment.streams;
    if (flags.schema) return printSchema(stdout);
    const use = flags.tier === 'compose' || flags.tier === 'local' ? flags.tier : 'any';
    const loaded = await loadProject(words[0] ?? '.', { use });
    stdout.write(json ? asJson(loaded) : asText(loaded));
    return loaded.config ? exitCode.done : exitCode.invalidInput;
  },
});

async function printSchema(stdout: TextSink): Promise<ExitCode> {
  const { default: schema } = await import('../project/platform-config.schema.json', { with: { type: 'json' } });
  stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  return exitCode.done;
}

function asJson({ config, problems, configFile }: LoadedProject): string {
  const listed = problems.map(problemJson);
  const answer = { valid: config !== undefined, file: configFile, ...countsOf(problems), problems: listed };
  return `${JSON.stringify(answer, null, 2)}\n`;
}

function asText({ config, problems, configFile }: LoadedProject): string {
  const { errors, warnings } = countsOf(problems);
  const told = problems.map((problem) => `${problemText(problem)}\n\n`).join('');
  const counts = [counted(errors, 'error'), counted(warnings, 'warning')].filter((text) => text !== '').join(', ');
  if (!config) return `${told}${configFile}: ${counts}\n`;
  return `${told}${configFile}: valid${counts === '' ? '' : `, ${counts}`}\n${factsOf(config)}`;
}

function countsOf(problems: readonly ConfigProblem[]): { errors: number; warnings: number } {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return { errors, warnings: problems.length - errors };
}

function counted(count: number, noun: string): string {
  if (count === 0) return '';
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** What the config comes down to, so that a reader sees whether it says what they meant. */
function factsOf({ project, targets, scenarioVariables }: ProjectConfig): string {
  const { http, database, auth } = targets;
  const variables = [...scenarioVariables.keys()].join(', ');
  const facts = [
    ['project', project.name],
    ['target', http.baseUrl],
    ['token', auth ? `\${${auth.bearerToken.name}}` : 'none'],
    ['database', database ? `${database.username} at ${database.host}:${database.port}/${database.database}` : 'none'],
    ['variables', variables === '' ? 'none' : variables],
  ];
  return facts.map(([name = '', value = '']) => `  ${name.padEnd(10)} ${value}\n`).join('');
}
