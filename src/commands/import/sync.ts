/** `vp import openapi <document> --sync`: where scenarios and document do not agree. Nothing is written. */
import { resolve } from 'node:path';
import { createLocalRuns } from '../../assemble/executor/local-runs.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
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
import { findRefusal, toSeenResponse } from './observe-target.ts';

type SyncOptions = {
  readonly document: string;
  readonly against: string | undefined;
  readonly testDir: string | undefined;
  readonly productDir: string | undefined;
  readonly ca: string | undefined;
  readonly json: boolean;
};

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
  if (options.json)
    stdout.write(`${JSON.stringify(toDocument(options.document, entries, observed?.notSent), null, 2)}\n`);
  else stdout.write(formatDrift(entries, observed?.notSent, paintFor(stdout, environment.variables)));
  return entries.length === 0 ? exitCode.done : exitCode.checkFailed;
}

type NotSent = readonly { readonly id: string; readonly reason: string }[];

/** Sends the scenarios that only read, once. */
async function observe(
  document: OpenApiDocument,
  files: readonly UsableFile[],
  url: string,
  { productDir, ca }: SyncOptions,
  environment: Environment,
): Promise<{ readonly entries: readonly DriftEntry[]; readonly notSent: NotSent }> {
  const project = await loadImportProject(url, productDir, environment);
  const extraRoots = ca === undefined ? [] : readCertificates(resolve(environment.cwd, ca));
  const { clock, random } = environment;
  const { signal, stop } = abortOnInterrupt(environment);
  const runs = createLocalRuns({ project, clock, random, extraRoots });
  const entries: DriftEntry[] = [];
  const notSent: { id: string; reason: string }[] = [];
  try {
    for (const { scenario, text } of files) {
      const refusal = signal.aborted ? 'interrupted' : findRefusal(text, project);
      const report = refusal === undefined ? await runs.execute({ id: scenario.id, text }, signal) : undefined;
      const response = report && toSeenResponse(report);
      if (response) entries.push(...findResponseDrift(document, scenario, response));
      else notSent.push({ id: scenario.id, reason: refusal ?? report?.failure?.message ?? 'its answer was cut' });
    }
  } finally {
    runs.close();
    stop();
  }
  return { entries, notSent };
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
  notSent: NotSent | undefined,
  paint: ReturnType<typeof paintFor>,
): string {
  const kinds = Object.keys(headings) as DriftEntry['kind'][];
  const groups = kinds.flatMap((kind) => {
    const own = entries.filter((entry) => entry.kind === kind);
    if (own.length === 0) return [];
    const lines = own
      .slice(0, maxListed)
      .map(
        ({ scenario, request, detail }) =>
          `  ${escapeUnsafeLine(`${scenario === undefined ? '' : `${scenario}: `}${request}`)}  ${paint.faint(escapeUnsafeLine(detail))}\n`,
      );
    const rest = own.length > maxListed ? `  and ${own.length - maxListed} more; --json lists all\n` : '';
    return [`${paint.strong(`${headings[kind]}: ${own.length}`)}\n${lines.join('')}${rest}\n`];
  });
  const unsent =
    notSent === undefined || notSent.length === 0
      ? ''
      : `not sent, because they may change data or lack values: ${notSent.length}\n`;
  const result = entries.length === 0 ? 'scenarios and document agree\n' : `differences: ${entries.length}\n`;
  return `${groups.join('')}${unsent}${result}`;
}

function toDocument(document: string, entries: readonly DriftEntry[], notSent: NotSent | undefined) {
  const list = entries.map(({ kind, scenario, request, detail }) => ({
    kind,
    scenario: scenario ?? null,
    request,
    detail,
  }));
  return { document, drift: list, ...(notSent === undefined ? {} : { not_sent: notSent }) };
}
