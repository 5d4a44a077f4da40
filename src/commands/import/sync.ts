/** `vp import openapi <document> --sync`: where scenarios and document do not agree. Nothing is written. */
import { resolve } from 'node:path';
import { createLocalRuns } from '../../assemble/executor/local-runs.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { OpenApiDocument } from '../../import/openapi/document.ts';
import { type DriftEntry, findDrift, findResponseDrift } from '../../import/openapi/drift.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { paintFor } from '../../terminal/paint.ts';
import { abortOnInterrupt } from '../onboard/abort-on-interrupt.ts';
import { findTestFolder } from '../run/select-local.ts';
import type { UsableFile } from '../scenarios/read-scenarios.ts';
import { readAllScenarios, readApiDocument } from './api-document-source.ts';
import { loadImportProject } from './import-project.ts';
import { describeUnanswered, findReasonNotSent, toSeenResponse } from './observe-target.ts';

type SyncOptions = {
  readonly document: string;
  readonly against: string | undefined;
  readonly testDir: string | undefined;
  readonly productDir: string | undefined;
  readonly ca: string | undefined;
  readonly json: boolean;
};

/** Throws IMPORT_INTERRUPTED. Responses that could not be compared are exit code 4, whatever else is found. */
export async function reportDrift(options: SyncOptions, environment: Environment): Promise<ExitCode> {
  const document = await readApiDocument(options.document, environment);
  const files = await readAllScenarios(findTestFolder(options.testDir, environment.cwd), options.json, environment);
  const drift = findDrift(
    document,
    files.map(({ scenario }) => scenario),
  );
  const observed =
    options.against === undefined ? undefined : await observe(document, files, options.against, options, environment);
  const entries = [...drift, ...(observed?.entries ?? [])];
  const { stdout } = environment.streams;
  if (options.json) stdout.write(`${JSON.stringify(toDocument(options.document, entries, observed), null, 2)}\n`);
  else stdout.write(formatDrift(entries, observed, paintFor(stdout, environment.variables)));
  if (observed && !isComplete(observed)) return exitCode.broken;
  return entries.length === 0 ? exitCode.done : exitCode.checkFailed;
}

type WithoutResponse = readonly { readonly id: string; readonly reason: string }[];
type Observation = {
  readonly entries: readonly DriftEntry[];
  readonly compared: number;
  readonly notSent: WithoutResponse;
  readonly notAnswered: WithoutResponse;
};

/** False where a scenario that was sent has no response, and where there were scenarios and none was sent. */
function isComplete({ compared, notSent, notAnswered }: Observation): boolean {
  return notAnswered.length === 0 && (compared > 0 || notSent.length === 0);
}

/** Sends the scenarios that only read, once. */
async function observe(
  document: OpenApiDocument,
  files: readonly UsableFile[],
  url: string,
  { productDir, ca }: SyncOptions,
  environment: Environment,
): Promise<Observation> {
  const project = await loadImportProject(url, productDir, environment);
  const extraRoots = ca === undefined ? [] : readCertificates(resolve(environment.cwd, ca));
  const { clock, random } = environment;
  const { signal, stop } = abortOnInterrupt(environment);
  const runs = createLocalRuns({ project, clock, random, extraRoots });
  const entries: DriftEntry[] = [];
  const notSent: { id: string; reason: string }[] = [];
  const notAnswered: { id: string; reason: string }[] = [];
  let compared = 0;
  try {
    for (const { scenario, text } of files) {
      const refusal = findReasonNotSent(text, project);
      if (refusal !== undefined) {
        notSent.push({ id: scenario.id, reason: refusal });
        continue;
      }
      const report = await runs.execute({ id: scenario.id, text }, signal);
      if (signal.aborted) throw vpError('IMPORT_INTERRUPTED', {});
      const response = toSeenResponse(report);
      if (response) {
        compared += 1;
        entries.push(...findResponseDrift(document, scenario, response));
      } else notAnswered.push({ id: scenario.id, reason: describeUnanswered(report) });
    }
  } finally {
    runs.close();
    stop();
  }
  return { entries, compared, notSent, notAnswered };
}

const headings: Readonly<Record<DriftEntry['kind'], string>> = {
  operation_without_scenario: 'operations without a scenario',
  scenario_without_operation: 'scenarios without an operation',
  undocumented_status: 'expected statuses that are not documented',
  response_not_allowed: 'responses that the document does not allow',
};
const maxListed = 40;

function formatDrift(
  entries: readonly DriftEntry[],
  observed: Observation | undefined,
  paint: ReturnType<typeof paintFor>,
): string {
  const kinds = Object.keys(headings) as DriftEntry['kind'][];
  const groups = kinds.flatMap((kind) => {
    const own = entries.filter((entry) => entry.kind === kind);
    const lines = own.map(
      ({ scenario, request, detail }) =>
        `${escapeUnsafeLine(`${scenario === undefined ? '' : `${scenario}: `}${request}`)}  ${paint.faint(escapeUnsafeLine(detail))}`,
    );
    return formatGroup(headings[kind], lines, paint);
  });
  return `${groups.join('')}${observed ? formatObservation(observed, paint) : ''}${formatResult(entries, observed)}\n`;
}

function formatGroup(heading: string, lines: readonly string[], paint: ReturnType<typeof paintFor>): string {
  if (lines.length === 0) return '';
  const rest = lines.length > maxListed ? `  and ${lines.length - maxListed} more; --json lists all\n` : '';
  const listed = lines.slice(0, maxListed).map((line) => `  ${line}\n`);
  return `${paint.strong(`${heading}: ${lines.length}`)}\n${listed.join('')}${rest}\n`;
}

function formatObservation(
  { compared, notSent, notAnswered }: Observation,
  paint: ReturnType<typeof paintFor>,
): string {
  const format = ({ id, reason }: WithoutResponse[number]): string =>
    `${escapeUnsafeLine(id)}  ${paint.faint(escapeUnsafeLine(reason))}`;
  const unanswered = formatGroup('sent, and not compared', notAnswered.map(format), paint);
  return `${formatGroup('not sent', notSent.map(format), paint)}${unanswered}responses compared: ${compared}\n`;
}

function formatResult(entries: readonly DriftEntry[], observed: Observation | undefined): string {
  if (entries.length > 0) return `differences: ${entries.length}`;
  return observed && !isComplete(observed)
    ? 'scenarios and document agree, but not all responses could be compared with it'
    : 'scenarios and document agree';
}

function toDocument(document: string, entries: readonly DriftEntry[], observed: Observation | undefined) {
  const list = entries.map(({ kind, scenario, request, detail }) => ({
    kind,
    scenario: scenario ?? null,
    request,
    detail,
  }));
  if (!observed) return { document, drift: list };
  const { compared, notSent, notAnswered } = observed;
  return { document, drift: list, compared, not_sent: notSent, not_answered: notAnswered };
}
