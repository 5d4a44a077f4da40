/** The flags of `vp new`, and what its parts share. */
import { basename, join } from 'node:path';
import type { Invocation } from '../../command-line/command.ts';
import type { ComposeTarget } from '../../inspection/compose-target.ts';
import type { TargetCredential } from '../../inspection/credential.ts';
import type { RequestInspection } from '../../inspection/inspect-request.ts';
import { certificatesFlag, logFlag, productFolderFlag, scenarioFolderFlag, targetUrlFlag } from '../role-flags.ts';
import { pathExists } from '../scenarios/scenario-files.ts';
import { authKinds } from './credential-answers.ts';
import type { DatabaseAnswers } from './database-answer.ts';
import type { NewOutput } from './new-output.ts';
import type { Questions } from './questions.ts';

export const newFlags = {
  yes: {
    type: 'boolean',
    alias: 'y',
    default: false,
    describe: 'ask nothing: take flags, what was seen, and defaults',
  },
  'base-url': { ...targetUrlFlag, describe: 'where the application answers; a port of this machine is enough' },
  auth: { type: 'string', placeholder: '<how>', choices: authKinds, describe: 'how requests authenticate' },
  'auth-header': { type: 'string', placeholder: '<name>', describe: 'header of the key, with --auth header' },
  'secret-from': {
    type: 'string',
    placeholder: '<variable>',
    describe: 'environment variable that holds the token, key, or user:password',
  },
  'secret-stdin': {
    type: 'boolean',
    default: false,
    describe: 'read the token, key, or user:password from standard input',
  },
  from: {
    type: 'string',
    placeholder: '<request>',
    describe: 'request of the first scenario, such as "GET /items" (default: one that answers)',
  },
  log: { ...logFlag, describe: 'the log of the application: a file, or unix:<socket> of a log reader' },
  database: {
    type: 'string',
    placeholder: '<url>',
    describe: 'database of the application, as postgres://reader@host:5432/name',
  },
  'database-secret-from': {
    type: 'string',
    placeholder: '<variable>',
    describe: 'environment variable that holds the password of the database',
  },
  compose: {
    type: 'boolean',
    default: false,
    describe: 'write the config for containers: the compose project that publishes the address',
  },
  name: { type: 'string', placeholder: '<name>', describe: 'name of the project (default: that of this folder)' },
  'product-dir': { ...productFolderFlag, describe: 'folder for platform-config.yaml and .env (default: ./product)' },
  'test-dir': { ...scenarioFolderFlag, describe: 'folder for scenarios (default: ./test)' },
  ca: certificatesFlag,
  force: { type: 'boolean', default: false, describe: 'replace existing files that differ' },
  'dry-run': { type: 'boolean', default: false, describe: 'print the files, and write nothing' },
} as const;

export type NewCall = Invocation<typeof newFlags>;

/** The user's answers and what the inspection saw. No further questions follow. */
export type Answers = {
  readonly name: string;
  readonly baseUrl: string;
  readonly requestText: string;
  readonly inspection: RequestInspection;
  readonly log: string | undefined;
  readonly compose: ComposeTarget | undefined;
  readonly databaseAnswers: DatabaseAnswers | undefined;
  readonly credential: TargetCredential | undefined;
  readonly otherPath: string | undefined;
};

export type NewContext = {
  readonly call: NewCall;
  readonly output: NewOutput;
  readonly questions: Questions | undefined;
  readonly productDir: string;
  readonly extraRoots: readonly string[];
};

/** `vp run --local` reads this folder before `./product`. */
export function chooseProductDir({ flags, environment }: NewCall): string {
  return flags['product-dir'] ?? (pathExists('platform-config.yaml', environment.cwd) ? '.' : 'product');
}

export function chooseScenarioFolder({ flags, environment }: NewCall): string {
  const named = flags['test-dir'];
  if (named !== undefined) return basename(named) === 'scenarios' ? named : join(named, 'scenarios');
  return pathExists('scenarios', environment.cwd) ? 'scenarios' : join('test', 'scenarios');
}
