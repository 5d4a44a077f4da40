/** The run that proves whether the target's log line and database are found: its scenario and its evaluation. */
import type { RunDocument } from '../contract/api.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import type { ScenarioImportFile } from './scenario-import.ts';

/** Members are undefined for what the config does not name. */
export type EvidenceProbeResult = {
  readonly runId: string;
  readonly logLines: number | undefined;
  readonly database: 'read' | 'unread' | undefined;
};

export type EvidenceProbeFailure = { readonly reason: string; readonly cure: string };

export function listProbedEvidence({ logstore, targets }: ProjectConfig): {
  readonly log: boolean;
  readonly database: boolean;
} {
  return { log: logstore !== undefined, database: targets.database !== undefined };
}

/** The path of the first scenario whose trigger is a GET without placeholders; `/` if there is none. */
export function selectProbePath(files: readonly ScenarioImportFile[]): string {
  for (const { text, problem } of files) {
    const path = /^GET \$\{INGESTION_URL\}(\/[^\s$]*)\s*$/m.exec(text)?.[1];
    if (problem === undefined && path !== undefined) return path;
  }
  return '/';
}

/** A scenario that checks log and database and nothing of the response. */
export function buildProbeScenario(
  path: string,
  { log, database }: { readonly log: boolean; readonly database: boolean },
): string {
  const layer = ['HTTP Ingestion', ...(database ? ['Database'] : []), ...(log ? ['Log'] : [])].join(' + ');
  const verify = database ? 'The database answers its reader.\n\n```sql\nSELECT 1 AS answer\n```' : 'Not applicable.';
  const checks = [...(log ? ['- log lines>=1'] : []), ...(database ? ['- db rows=1'] : [])];
  return [
    '# Scenario: GET onboarding-probe',
    '## Metadata',
    `- ID: vp-onboarding-probe\n- Layer: ${layer}\n- Tags: onboarding`,
    '## TRIGGER',
    `GET \${INGESTION_URL}${path}\nX-Request-Id: \${correlation_id}`,
    '## VERIFY',
    verify,
    '## EXPECT',
    '### Runnable',
    checks.join('\n'),
    '## TIMEOUT',
    '15s',
    '## CLEANUP',
    'Not applicable: a GET leaves nothing to clean up.\n',
  ].join('\n\n');
}

export function evaluateProbe(
  { run_id: runId, report, failure_kind: kind, failure_message: message }: RunDocument,
  probed: { readonly log: boolean; readonly database: boolean },
): { readonly result: EvidenceProbeResult; readonly failures: readonly EvidenceProbeFailure[] } {
  const [query] = report?.queries ?? [];
  const logLines = probed.log ? (report?.log?.line_count ?? 0) : undefined;
  const database = !probed.database ? undefined : query && query.problem === null ? 'read' : 'unread';
  const result: EvidenceProbeResult = { runId, logLines, database };
  const isTargetUnreached = report === null || report.exchange.response === null;
  if (isTargetUnreached) {
    const reason = `the target was not reached by the probe run ${runId}: ${message ?? kind ?? 'no report'}`;
    return { result, failures: [{ reason, cure: report?.failure?.cure ?? `see \`vp runs show ${runId}\`` }] };
  }
  const failures: EvidenceProbeFailure[] = [];
  if (logLines === 0) failures.push(toMissingLineFailure(runId, report.log));
  if (database === 'unread') {
    const reason = `the database was not read: ${query?.problem ?? 'it was not queried'}`;
    const cure = query?.cure ?? 'see the section `targets.database` of platform-config.yaml';
    failures.push({ reason, cure });
  }
  return { result, failures };
}

function toMissingLineFailure(
  runId: string,
  log: { problem: string | null; cure: string | null } | null,
): EvidenceProbeFailure {
  return {
    reason: `no log line of the run ${runId} was found${log?.problem ? `: ${log.problem}` : ''}`,
    cure:
      log?.cure ??
      'let the target write the id it receives in X-Request-Id into its log, in the field that `correlation_field` names',
  };
}
