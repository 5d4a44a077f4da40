/** `vp new scenario`: a scenario for one request, with checks that hold on what the application answers. */
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { command } from '../../command-line/command.ts';
import type { ExitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { createTargetProbe, isSafeMethod } from '../../inspection/target-probe.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { type CurlImport, parseCurlCommand } from '../../scenario/curl-import.ts';
import { paintFor } from '../../terminal/paint.ts';
import { loadProjectConfig } from '../run/run-local.ts';
import { findTestFolder } from '../run/select-local.ts';
import { parseFile } from '../scenarios/read-scenarios.ts';
import { pathExists, readScenarioFiles } from '../scenarios/scenario-files.ts';
import { assertLogFlag } from './log-answer.ts';
import { createNewOutput } from './new-output.ts';
import { parseRequest } from './request-flag.ts';
import { type ScenarioCall, type ScenarioContext, scenarioFlags } from './scenario-context.ts';
import { writeObservedScenario, writeSkeleton } from './scenario-writing.ts';
import { collectSharedHeaders, fillHeaders } from './shared-headers.ts';

async function run(call: ScenarioCall): Promise<ExitCode> {
  const { flags, json, environment } = call;
  const imported = await readCurl(call);
  if (flags.from === undefined && !imported)
    throw vpError('FLAG_VALUE_MISSING', { flag: '--from', placeholder: '"GET /items"' });
  assertLogFlag(flags.log, 'vp new scenario', environment);
  const request = imported ? imported.request : parseRequest(flags.from ?? '');
  const project = await loadProjectConfig(
    { productDir: flags['product-dir'], baseUrl: flags['base-url'] },
    { environment, json },
  );
  const folder = chooseFolder(call);
  const existing = pathExists(folder, environment.cwd)
    ? readScenarioFiles([folder], environment.cwd, () => undefined)
    : [];
  const output = createNewOutput(
    environment.streams.stdout,
    paintFor(environment.streams.stdout, environment.variables),
    json,
  );
  const files = existing.map((file) => parseFile(file, project.names));
  const context: ScenarioContext = { call, output, request, imported, project, folder, files };
  const extraRoots = flags.ca === undefined ? [] : readCertificates(resolve(environment.cwd, flags.ca));
  const headers = fillHeaders(collectSharedHeaders(files), project);
  const probe = createTargetProbe({
    ...{ origin: project.targets.http.baseUrl, headers, extraRoots, environment },
    secrets: project.secretValues,
  });
  try {
    return await (isSafeMethod(request.method) && !imported
      ? writeObservedScenario(context, probe)
      : writeSkeleton(context, probe));
  } finally {
    probe.close();
  }
}

/** The request of `--curl`. Throws FLAG_INVALID for a command that cannot be imported. */
async function readCurl({ flags, environment }: ScenarioCall): Promise<CurlImport | undefined> {
  if (flags.curl === undefined) return undefined;
  const refuse = (problem: string) =>
    vpError('FLAG_INVALID', { command: 'vp new scenario', flag: '--curl', problem: `cannot be used: ${problem}` });
  if (flags.from !== undefined) throw refuse('--from names a request too');
  const imported = parseCurlCommand(flags.curl === '-' ? await text(environment.streams.stdin) : flags.curl);
  if ('problem' in imported) throw refuse(imported.problem);
  return imported;
}

function chooseFolder({ flags, environment }: ScenarioCall): string {
  const named = flags['test-dir'];
  const folder = findTestFolder(named, environment.cwd);
  if (pathExists(folder, environment.cwd)) return folder;
  return named === undefined ? join('test', 'scenarios') : join(named, 'scenarios');
}

export const newScenarioCommand = command({
  name: 'new scenario',
  summary: 'write a scenario for a request, with checks that hold on what the application answers',
  positionals: [],
  flags: scenarioFlags,
  examples: [
    ['vp new scenario --from "GET /items"', 'sends it twice, proposes checks, writes the scenario and runs it'],
    ["vp new scenario --curl 'curl https://shop.example/items -d a=1' --status 201", 'as browsers copy a request'],
    ['vp new scenario --from "POST /items" --status 201', 'sends nothing; writes the scenario for you to complete'],
  ],
  notes:
    'Only GET, HEAD and OPTIONS of --from are sent; of --curl nothing is, and its secrets become variables. Fields that differ between two responses are checked by a pattern, or left out. Header ' +
    'lines with variables are taken over from the scenarios that exist.\n\n' +
    'The exit code is that of `vp run`; for a request that is not sent, 0 with --status, and 1 without, because the scenario has no ' +
    'check yet.',
  run,
});
