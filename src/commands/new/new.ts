/** `vp new`: from nothing to a first verdict for one's own application. */
import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import type { ExitCode } from '../../errors/exit-code.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { paintFor } from '../../terminal/paint.ts';
import { finishProject } from './finish-project.ts';
import { gatherAnswers } from './gather-answers.ts';
import { assertLogFlag } from './log-answer.ts';
import { chooseProductDir, type NewCall, type NewContext, newFlags } from './new-context.ts';
import { createNewOutput } from './new-output.ts';
import { openQuestions } from './questions.ts';

async function run(call: NewCall): Promise<ExitCode> {
  const { flags, json, environment } = call;
  const { stdout, stderr } = environment.streams;
  assertLogFlag(flags.log, 'vp new', environment);
  const questions = flags.yes || json ? undefined : await openQuestions(environment);
  const context: NewContext = {
    ...{ call, questions, productDir: chooseProductDir(call) },
    output: createNewOutput(
      stdout.isTTY ? stdout : json ? stderr : stdout,
      paintFor(stdout, environment.variables),
      json,
    ),
    extraRoots: flags.ca === undefined ? [] : readCertificates(resolve(environment.cwd, flags.ca)),
  };
  const answers = await gatherAnswers(context);
  return finishProject(context, answers);
}

export const newCommand = command({
  name: 'new',
  summary: 'set up checks for your own application',
  positionals: [],
  flags: newFlags,
  examples: [
    ['vp new', 'asks at most six questions'],
    ['vp new --yes --base-url http://127.0.0.1:3000', 'asks nothing'],
    ['vp new --yes --base-url 3000 --auth bearer --secret-from API_TOKEN --log app.log', 'with a token and a log'],
  ],
  notes:
    'Sends GET requests to usual paths (health, OpenAPI document) and to the request of the scenario, and nothing that changes ' +
    'data. Writes platform-config.yaml, .env (mode 0600, only where there is a secret), .gitignore and one scenario, and runs it. ' +
    'Existing files are shown as they would change and are replaced only with --force. Docker and a database are not needed.\n\n' +
    'The exit code is that of `vp run`: 0 if the scenario passed.',
  run,
});
