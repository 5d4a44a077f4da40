/** The request that the executor sends now to prove that target, log and database answer: its scenario and its evaluation. */
import type { RunDocument } from '../contract/api.ts';
import type { ErrorCode } from '../errors/table.ts';
import { type ErrorText, formatError } from '../errors/vp-error.ts';
import type { ProjectConfig } from '../project/project-config.ts';

/** Members are undefined for what the config does not name. */
export type EvidenceProbeResult = {
  readonly status: number | undefined;
  readonly logLines: number | undefined;
  readonly database: 'read' | 'unread' | undefined;
};

/** `code` classifies it; the texts are more specific than those of the table. */
export type EvidenceProbeFailure = { readonly code: ErrorCode; readonly reason: string; readonly cure: string };
export type ProbeReport = NonNullable<RunDocument['report']>;
export type ProbedEvidence = { readonly log: boolean; readonly database: boolean };

const maxPaths = 5;

export function listProbedEvidence({ logstore, targets }: ProjectConfig): ProbedEvidence {
  return { log: logstore !== undefined, database: targets.database !== undefined };
}

/**
 * Paths of GET scenarios without placeholders that expect success and set no credentials of their own; `/` if there is none. Several,
 * because the first may be public, and then says nothing about the token.
 */
export function selectProbePaths(
  files: readonly { readonly text: string; readonly problem: unknown }[],
): readonly [string, ...string[]] {
  const paths = files.flatMap(({ text, problem }) => {
    const path = /^GET \$\{INGESTION_URL\}(\/[^\s$]*)\s*$/m.exec(text)?.[1];
    const isPlain = /^- status=2\d\d\s*$/m.test(text) && !/^authorization:/im.test(text);
    return problem === undefined && path !== undefined && isPlain ? [path] : [];
  });
  const [first = '/', ...others] = new Set(paths);
  return [first, ...others.slice(0, maxPaths - 1)];
}

/** A scenario that checks log and database and nothing of the response. */
export function buildEvidenceProbeScenario(path: string, { log, database }: ProbedEvidence): string {
  const layer = ['HTTP Ingestion', ...(database ? ['Database'] : []), ...(log ? ['Log'] : [])].join(' + ');
  const verify = database ? 'The database answers its reader.\n\n```sql\nSELECT 1 AS answer\n```' : 'Not applicable.';
  const evidenceChecks = [...(log ? ['- log lines>=1'] : []), ...(database ? ['- db rows=1'] : [])];
  // A scenario needs a check; the status is judged by `evaluateProbe`.
  const checks = evidenceChecks.length === 0 ? ['- status=200'] : evidenceChecks;
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
  report: ProbeReport,
  options: ProbedEvidence & { readonly path: string; readonly baseUrl: string; readonly sendsToken: boolean },
): { readonly result: EvidenceProbeResult; readonly failures: readonly EvidenceProbeFailure[] } {
  const { path, baseUrl } = options;
  const [query] = report.queries;
  const logLines = options.log ? (report.log?.line_count ?? 0) : undefined;
  const database = !options.database ? undefined : query && query.problem === null ? 'read' : 'unread';
  const status = report.exchange.response?.status;
  const result: EvidenceProbeResult = { status, logLines, database };
  if (status === undefined) {
    const { message = 'no response', cure = 'check whether the target runs' } = report.failure ?? {};
    return {
      result,
      failures: [toEvidenceProbeFailure(formatError('TARGET_UNREACHED', { url: baseUrl, problem: message, cure }))],
    };
  }
  const failures: EvidenceProbeFailure[] = [];
  const refusal = explainStatus(status, options.sendsToken);
  if (refusal) failures.push(toEvidenceProbeFailure(formatError('TARGET_REFUSED', { status, path, ...refusal })));
  if (logLines === 0) failures.push(toMissingLineFailure(report));
  if (database === 'unread') {
    const reason = `the database was not read: ${query?.problem ?? 'it was not queried'}`;
    const cure = query?.cure ?? 'see the section `targets.database` of platform-config.yaml';
    failures.push({ code: 'EVIDENCE_UNAVAILABLE', reason, cure });
  }
  return { result, failures };
}

export function toEvidenceProbeFailure({ code, message, cure }: ErrorText): EvidenceProbeFailure {
  return { code, reason: message, cure };
}

/** Why runs would fail with this status, whatever they check; undefined for one that a target may answer by design. */
function explainStatus(status: number, sendsToken: boolean): { meaning: string; cure: string } | undefined {
  if (status >= 500) return { meaning: 'it reports an error of its own', cure: 'see the log of the target' };
  if (status !== 401 && status !== 403) return undefined;
  return sendsToken
    ? {
        meaning: 'it refuses the token of `targets.auth.bearer_token`',
        cure: 'correct the token in .env of the product folder, then run `vp onboard` again',
      }
    : {
        meaning: 'it wants credentials, and the config has none',
        cure: 'add `targets.auth` to platform-config.yaml and the token to .env, then run `vp onboard` again',
      };
}

function toMissingLineFailure({ run_id: runId, log }: ProbeReport): EvidenceProbeFailure {
  return {
    code: 'EVIDENCE_UNAVAILABLE',
    reason: `no log line of the request tr-${runId} was found${log?.problem ? `: ${log.problem}` : ''}`,
    cure:
      log?.cure ??
      'let the target write the id it receives in X-Request-Id into its log, in the field that `correlation_field` names',
  };
}
