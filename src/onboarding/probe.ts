/** The one run that shows whether the target's log line and its database are found: the text of it, and what it found. */
import type { RunDocument } from '../contract/api.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import type { ScenarioText } from './context.ts';

/** What the run showed; undefined for what the config does not name. */
export type ProbeFacts = {
  readonly runId: string;
  readonly logLines: number | undefined;
  readonly database: 'read' | 'unread' | undefined;
};

/** Something that is not as it should be. */
export type ProbeTrouble = { readonly reason: string; readonly cure: string };

/** What the config has to prove. */
export function provable({ logstore, targets }: ProjectConfig): { readonly log: boolean; readonly database: boolean } {
  return { log: logstore !== undefined, database: targets.database !== undefined };
}

/** The path of the first scenario that only reads, as it stands in its TRIGGER; `/` without one. */
export function probePath(files: readonly ScenarioText[]): string {
  for (const { text, problem } of files) {
    const path = /^GET \$\{INGESTION_URL\}(\/[^\s$]*)\s*$/m.exec(text)?.[1];
    if (problem === undefined && path !== undefined) return path;
  }
  return '/';
}

/** A scenario that looks at the log and the database and judges nothing of the answer. */
export function probeText(
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

/** What a run of it found, and everything that is wrong. */
export function readProbe(
  { run_id: runId, report, failure_kind: kind, failure_message: message }: RunDocument,
  wanted: { readonly log: boolean; readonly database: boolean },
): { readonly facts: ProbeFacts; readonly troubles: readonly ProbeTrouble[] } {
  const [query] = report?.queries ?? [];
  const logLines = wanted.log ? (report?.log?.line_count ?? 0) : undefined;
  const database = !wanted.database ? undefined : query && query.problem === null ? 'read' : 'unread';
  const facts: ProbeFacts = { runId, logLines, database };
  const isUnanswered = report === null || report.exchange.response === null;
  if (isUnanswered) {
    const reason = `the target was not reached by the probe run ${runId}: ${message ?? kind ?? 'no report'}`;
    return { facts, troubles: [{ reason, cure: report?.failure?.cure ?? `see \`vp runs show ${runId}\`` }] };
  }
  const troubles: ProbeTrouble[] = [];
  if (logLines === 0) troubles.push(lineTrouble(runId, report.log));
  if (database === 'unread') {
    const reason = `the database was not read: ${query?.problem ?? 'nobody looked'}`;
    const cure = query?.cure ?? 'see the section `targets.database` of platform-config.yaml';
    troubles.push({ reason, cure });
  }
  return { facts, troubles };
}

function lineTrouble(runId: string, log: { problem: string | null; cure: string | null } | null): ProbeTrouble {
  return {
    reason: `no log line of the run ${runId} was found${log?.problem ? `: ${log.problem}` : ''}`,
    cure:
      log?.cure ??
      'let the target write the id it receives in X-Request-Id into its log, in the field that `correlation_field` names',
  };
}
