/** `vp import`: scenarios from what other tools have. */
import { join, resolve } from 'node:path';
import { command, type FlagDefinitions, type Invocation } from '../../command-line/command.ts';
import { nameProgram } from '../../environment/running-binary.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { getFormatExtension, type ImportFormat, importFormats, importSource } from '../../import/import-source.ts';
import type { WrittenSource } from '../../import/write-scenarios.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { paintFor } from '../../terminal/paint.ts';
import { createNewOutput, printNext } from '../new/new-output.ts';
import { formatCommandLine, type NextCommand } from '../new/paste.ts';
import { abortOnInterrupt } from '../onboard/abort-on-interrupt.ts';
import { certificatesFlag, productFolderFlag, scenarioFolderFlag } from '../role-flags.ts';
import { findTestFolder } from '../run/select-local.ts';
import { pathExists } from '../scenarios/scenario-files.ts';
import {
  printImportedFiles,
  printObservedScenarios,
  printUntranslated,
  printUploads,
  printVariables,
} from './import-output.ts';
import { loadImportProject } from './import-project.ts';
import { type PlannedUpload, planUploads, writeUploads } from './import-uploads.ts';
import { type ObservedScenario, observeTarget } from './observe-target.ts';
import { type ImportedFile, planImport, writeImport } from './plan-import.ts';
import { readImportSource } from './read-source.ts';
import { reportDrift } from './sync.ts';

const flags = {
  against: {
    type: 'string',
    placeholder: '<url>',
    describe: 'send the scenarios that only read to this target, twice, and take checks from its answers',
  },
  'test-dir': scenarioFolderFlag,
  'product-dir': productFolderFlag,
  ca: certificatesFlag,
  sync: {
    type: 'boolean',
    default: false,
    describe:
      'openapi: write nothing, and report where scenarios and document differ; with --against also the responses',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'write nothing, and say what would be written' },
  force: { type: 'boolean', default: false, describe: 'replace existing files that differ' },
} as const satisfies FlagDefinitions;

type ImportCall = Invocation<typeof flags>;

async function run(call: ImportCall): Promise<ExitCode> {
  const { flags: given, json, environment } = call;
  const [format, paths] = readArguments(call.args);
  if (given.sync) {
    if (format !== 'openapi' || paths.length !== 1)
      throw vpError('FLAG_NEEDS_ANOTHER', { flag: '--sync', other: 'one OpenAPI document' });
    const { against, 'test-dir': testDir, 'product-dir': productDir, ca } = given;
    return reportDrift({ document: paths[0] ?? '', against, testDir, productDir, ca, json }, environment);
  }
  const files = await readImportSource(paths, { format, extension: getFormatExtension(format) }, environment);
  const source = await importSource(format, files);
  if (source.scenarios.length === 0) {
    const [first] = source.untranslated;
    throw vpError('IMPORT_NOTHING', {
      path: paths.join(', '),
      reason: first ? `${first.item}: ${first.reason}` : 'it is empty',
    });
  }
  const output = createNewOutput(
    environment.streams.stdout,
    paintFor(environment.streams.stdout, environment.variables),
    json,
  );
  const observed = given.against === undefined ? undefined : await observe(source, given.against, call);
  const planned = planImport(observed ?? source.scenarios, chooseFolder(call), given.force, environment);
  const uploads = planUploads(source.uploads, files, planned, environment);
  if (!given['dry-run']) {
    writeImport(planned, environment);
    writeUploads(uploads, environment);
  }
  printImportedFiles(planned, given['dry-run'], output);
  printUploads(uploads, given['dry-run'], output);
  if (observed) printObservedScenarios(observed, output);
  printVariables(source.variables, output);
  printUntranslated(source.untranslated, output);
  const next = listNext(call, planned);
  const { stdout } = environment.streams;
  printNext(next, output, { paint: paintFor(stdout, environment.variables), program: nameProgram(environment) });
  if (json)
    stdout.write(`${JSON.stringify(toDocument(format, source, { planned, uploads }, observed, next), null, 2)}\n`);
  const isPartial = planned.some(({ state }) => state === 'kept') || (observed?.some(isUnanswered) ?? false);
  return isPartial ? exitCode.checkFailed : exitCode.done;
}

function readArguments([format = '', ...paths]: readonly string[]): readonly [ImportFormat, readonly string[]] {
  const known = importFormats.find((each) => each === format);
  if (!known)
    throw vpError('FLAG_INVALID', {
      command: 'vp import',
      flag: `the format ${format}`,
      problem: `is unknown: use one of ${importFormats.join(', ')}`,
    });
  if (paths.length === 0) throw vpError('COMMAND_WORD_MISSING', { command: 'vp import', word: '<source>' });
  return [known, paths];
}

async function observe(source: WrittenSource, url: string, { flags: given, environment }: ImportCall) {
  const project = await loadImportProject(url, given['product-dir'], environment);
  const extraRoots = given.ca === undefined ? [] : readCertificates(resolve(environment.cwd, given.ca));
  const { signal, stop } = abortOnInterrupt(environment);
  try {
    return await observeTarget(source.scenarios, { project, environment, extraRoots, signal });
  } finally {
    stop();
  }
}

function chooseFolder({ flags: given, environment }: ImportCall): string {
  const named = given['test-dir'];
  const folder = findTestFolder(named, environment.cwd);
  if (pathExists(folder, environment.cwd)) return folder;
  return named === undefined ? join('test', 'scenarios') : join(named, 'scenarios');
}

function listNext({ flags: given }: ImportCall, files: readonly ImportedFile[]): readonly NextCommand[] {
  const [first] = files.filter(({ state }) => state !== 'kept');
  if (given['dry-run'] || !first) return [];
  const folder = first.file.replace(/[\\/][^\\/]*$/, '');
  const target = given.against === undefined ? [] : ['--base-url', given.against];
  const product = given['product-dir'] === undefined ? [] : ['--product-dir', given['product-dir']];
  return [
    { command: formatCommandLine(['vp', 'validate', folder, ...product]), purpose: 'says which values are missing' },
    {
      command: formatCommandLine(['vp', 'prove', '--local', first.file, ...target, ...product]),
      purpose: 'sends one, and finds checks that cannot fail',
    },
  ];
}

/** The request was sent, and no check could be taken from what came back. */
function isUnanswered({ isSent, refined }: ObservedScenario): boolean {
  return isSent && !refined;
}

function toDocument(
  format: ImportFormat,
  { untranslated, variables, scenarios }: WrittenSource,
  { planned, uploads }: { readonly planned: readonly ImportedFile[]; readonly uploads: readonly PlannedUpload[] },
  observed: readonly ObservedScenario[] | undefined,
  next: readonly NextCommand[],
) {
  const entries = planned.map(({ id, file, state }, index) => {
    const seen = observed?.[index];
    const target =
      seen &&
      (seen.refined
        ? {
            added: seen.refined.added,
            dropped: seen.refined.dropped,
            failing: seen.refined.failing,
            notes: seen.refined.notes,
          }
        : { [seen.isSent ? 'not_answered' : 'not_sent']: seen.skipped });
    return { id, file, state, source: scenarios[index]?.label, ...(target ? { target } : {}) };
  });
  return {
    ...{ format, scenarios: entries },
    files: uploads.map(({ file, path, state, reason }) => ({
      file,
      path,
      state,
      ...(reason === undefined ? {} : { reason }),
    })),
    variables: variables.map(({ name, isSecret }) => ({ name, secret: isSecret })),
    ...{ untranslated, next },
  };
}

export const importCommand = command({
  name: 'import',
  summary: 'write scenarios from documents, collections and recordings',
  positionals: [
    { name: 'format', describe: 'openapi, postman, har, curl, hurl or bruno', required: true, choices: importFormats },
    { name: 'source', describe: 'files, folders, or - for standard input', required: true, many: true },
  ],
  flags,
  examples: [
    ['vp import openapi openapi.yaml', 'a scenario for each operation, with what its response must have'],
    ['vp import postman shop.postman_collection.json --dry-run', 'says what would be written, and what not'],
    ['vp import har session.har --against http://127.0.0.1:3000', 'takes checks from what the target answers now'],
    ['vp import bruno collections/shop', 'a folder of .bru files'],
    ['vp import openapi openapi.yaml --sync', 'operations without scenario, and scenarios without operation'],
  ],
  notes:
    'Requests that use what another one captures get it as STEPS. Secrets of recordings become variables and are never written. With --against, ' +
    'scenarios whose requests are all GET, HEAD or OPTIONS are sent twice: what is equal becomes a check, what differs a pattern, and checks that ' +
    'nothing makes fail are left out. Checks of the source stay also where the target does not pass them.\n\n' +
    'Exit code 0: done. 1: existing files differ and stay as they are (--force replaces them), some of what was sent to the target gave no checks, ' +
    'or with --sync something differs. 2: nothing could be imported. 4: nothing that was sent was answered, and nothing was written; with --sync, ' +
    'not all responses could be compared. 130: interrupted; nothing was written.',
  run,
});
