/** Writes a new scenario: from what was seen, or as a skeleton where nothing may be sent. */
import { join } from 'node:path';
import { nameProgram } from '../../environment/running-binary.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { type ApiDocument, findDocumentedOperation } from '../../inspection/api-document.ts';
import { inspectRequest, type RequestInspection } from '../../inspection/inspect-request.ts';
import { findApiDocument } from '../../inspection/survey.ts';
import { isSafeMethod, type TargetProbe } from '../../inspection/target-probe.ts';
import type { CurlImport } from '../../scenario/curl-import.ts';
import { renderScenario, type ScenarioDraft } from '../../scenario/scenario-draft.ts';
import { paintFor } from '../../terminal/paint.ts';
import { findProductFolder } from '../authoring/placeholders.ts';
import { parseFile } from '../scenarios/read-scenarios.ts';
import { assertNothingReplaced, planFile, writeFiles } from './new-files.ts';
import {
  describeCheckCount,
  type NewOutput,
  printFiles,
  printInspection,
  printLogTrace,
  printNext,
} from './new-output.ts';
import { formatCommandLine, listLocalFlags, type NextCommand } from './paste.ts';
import { runInProcess } from './run-in-process.ts';
import { chooseName, type ScenarioCall, type ScenarioContext } from './scenario-context.ts';
import { collectSharedHeaders } from './shared-headers.ts';

export async function writeObservedScenario(context: ScenarioContext, probe: TargetProbe): Promise<ExitCode> {
  const { call, output, request, project, files } = context;
  const name = chooseName(context);
  const { method, path } = request;
  if (!isSafeMethod(method)) throw new TypeError('only safe methods are sent');
  const inspection = await inspectRequest({
    ...{ probe, request: { method, path }, log: call.flags.log, environment: call.environment },
    secrets: project.secretValues,
    countsErrors: ({ hasLevels }) => hasLevels && project.logstore?.errorMatch !== undefined,
  });
  printInspection(inspection, `${method} ${path}`, output);
  if (inspection.trace && call.flags.log !== undefined) printLogTrace(inspection.trace, call.flags.log, output);
  const shared = collectSharedHeaders(files).filter(([header]) => header.toLowerCase() !== 'user-agent');
  const headers = [...shared, ...inspection.headers];
  const file = write(context, name.file, {
    ...name,
    ...inspection,
    method,
    headers,
    body: undefined,
    tags: listTags(call),
  });
  const isLogUsed = inspection.trace?.channel !== undefined;
  const args = ['--local', name.id, ...listLocalFlags({ ...call.flags, log: isLogUsed ? call.flags.log : undefined })];
  output.line(`\n$ ${formatCommandLine(['vp', 'run', ...args])}\n`);
  const { code, document } = await runInProcess(args, call);
  const next = [{ command: formatCommandLine(['vp', 'prove', ...args]), purpose: 'find checks that cannot fail' }];
  end(context, next, { id: name.id, file, ...describe(inspection), run: document, next, exit_code: code });
  return code;
}

/** Nothing is sent, so nothing was seen: the person says what must come back. */
export async function writeSkeleton(context: ScenarioContext, probe: TargetProbe): Promise<ExitCode> {
  const { call, output, request, imported, files } = context;
  const { method, path } = request;
  const name = chooseName(context);
  const document = await findApiDocument(probe);
  const operation = document && findDocumentedOperation(document, method, path);
  const { status } = call.flags;
  const body = operation?.bodyExample ?? (['POST', 'PUT', 'PATCH'].includes(method) ? '{}' : undefined);
  const checks = status === undefined ? [] : [`status=${status}`];
  if (imported) printImport(imported, context.project.targets.http.baseUrl, output);
  else output.warn('not sent', `${method} may change data, so nothing was sent and no check was seen to hold`);
  printDocumented(document, operation, output);
  const file = write(context, name.file, {
    ...(imported ? imported.request : { method, path, headers: collectSharedHeaders(files), body }),
    ...name,
    checks,
    tags: listTags(call),
  });
  const run: NextCommand = {
    command: formatCommandLine(['vp', 'run', '--local', name.id, ...listLocalFlags(call.flags)]),
    purpose: `send it: ${method} ${path}`,
  };
  if (status === undefined) {
    output.warn(
      'incomplete',
      `write what must come back below "### Runnable" in ${file}, such as - status=${operation?.status ?? usualStatus(method)}`,
    );
    const validate = {
      command: formatCommandLine(['vp', 'validate', file, '--product-dir', chooseProductFolder(call)]),
      purpose: 'says what is missing',
    };
    end(context, [validate, run], {
      id: name.id,
      file,
      checks,
      next: [validate, run],
      exit_code: exitCode.checkFailed,
    });
    return exitCode.checkFailed;
  }
  end(context, [run], { id: name.id, file, checks, next: [run], exit_code: exitCode.done });
  return exitCode.done;
}

function printImport({ origin, variables, notes }: CurlImport, baseUrl: string, output: NewOutput): void {
  const otherTarget = origin === baseUrl ? '' : `: it will go to the target of the config, not to ${origin}`;
  output.warn('not sent', `the request was read from the curl command${otherTarget}`);
  for (const name of variables)
    output.warn('variable', `\${${name}} needs a value: add it to .env and to scenarios.variables in the config`);
  for (const note of notes) output.detail(note);
}

function printDocumented(
  document: ApiDocument | undefined,
  operation: ReturnType<typeof findDocumentedOperation>,
  output: NewOutput,
): void {
  if (!document || !operation) return;
  const promised = operation.status === undefined ? '' : `, promises ${operation.status}`;
  output.seen(
    'API document',
    `has ${operation.method} ${operation.path}${promised}${operation.bodyExample === undefined ? '' : '; the body is its example'}`,
  );
}

/** Writes the file and returns its path. The text is one that the parser accepts, except for missing checks. */
function write(context: ScenarioContext, existingFile: string | undefined, draft: ScenarioDraft): string {
  const { call, folder, project, output, imported } = context;
  const { environment, flags } = call;
  const file = existingFile ?? join(folder, `${draft.id}.md`);
  const text = renderScenario(draft);
  const errors = parseFile({ file, text }, project.names).diagnostics.filter(
    ({ code }) => code !== 'SCENARIO_RUNNABLE_EMPTY' && !(imported && code.startsWith('SCENARIO_PLACEHOLDER')),
  );
  if (errors.some(({ severity }) => severity === 'error'))
    throw new TypeError(`the scenario is invalid: ${JSON.stringify(errors)}`);
  const planned = [planFile(file, text, describeCheckCount(draft.checks.length), environment)];
  if (!flags.force) assertNothingReplaced(planned, environment);
  writeFiles(planned, environment);
  printFiles(planned, output, paintFor(environment.streams.stdout, environment.variables));
  return file;
}

function end({ call, output }: ScenarioContext, next: readonly NextCommand[], document: object): void {
  const { environment } = call;
  const { stdout } = environment.streams;
  printNext(next, output, { paint: paintFor(stdout, environment.variables), program: nameProgram(environment) });
  if (call.json) stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

function describe({ checks, notes, response }: RequestInspection) {
  return { status: response.status, checks, notes };
}

/** `vp validate` needs the config to know the variables that scenarios may use. */
function chooseProductFolder({ flags, environment }: ScenarioCall): string {
  return flags['product-dir'] ?? findProductFolder(environment.cwd) ?? '.';
}

function listTags({ flags }: ScenarioCall): readonly string[] {
  return flags.tag.length === 0 ? ['http'] : flags.tag;
}

/** Of a request that was carried out, where no document names it (RFC 9110 section 9.3). */
function usualStatus(method: string): number {
  if (method === 'POST') return 201;
  return method === 'DELETE' ? 204 : 200;
}
