import type { Lease } from '../../src/contract/executor-api.ts';
import type { Report } from '../../src/report/report.ts';

/** A report as an executor would send it for `lease`. */
export function createTestReport(
  lease: Pick<Lease, 'run_id' | 'correlation_id' | 'scenario_id'>,
  instance: string,
  result: Report['result'] = 'passed',
): Report {
  return {
    report_version: 1,
    run_id: lease.run_id,
    correlation_id: lease.correlation_id,
    instance,
    scenario: { id: lease.scenario_id, title: 'GET document', layer: 'HTTP Ingestion', tags: ['http'], revision: 1 },
    origin: 'queue',
    result,
    failure: result === 'failed' ? { kind: 'body_mismatch', message: 'no', cure: 'mend it' } : null,
    observed_status: result === null ? null : 200,
    assertions_enforced_count: 1,
    checks: [],
    failed_checks: [],
    notes: [],
    evidence_assertions_count: 2,
    log: null,
    queries: [],
    proof: null,
    exchange: {
      request: { method: 'GET', url: 'http://app:3100/api/v2/document', headers: [], body: null },
      response: { status: 200, headers: [], body: { text: '{"data":[]}', size_bytes: 11, truncated: false } },
    },
    timings: { queued_ms: 1, connect_ms: null, first_byte_ms: 2, body_ms: 2, total_ms: 3, evidence_ms: null },
    started_at: '2026-11-20T14:30:12.345Z',
    finished_at: '2026-11-20T14:30:12.348Z',
    executor_version: '0.4.0',
  };
}

/** A small valid scenario. */
export function createScenarioText(id = 'RT-GET-document', check = 'body has data'): string {
  return [
    '# Scenario: GET document',
    '',
    '## Metadata',
    '',
    `- ID: ${id}`,
    '- Layer: HTTP Ingestion',
    '- Tags: http',
    '',
    '## TRIGGER',
    '',
    'GET ${INGESTION_URL}/api/v2/document',
    'X-Request-Id: ${correlation_id}',
    '',
    '## EXPECT',
    '',
    '### Runnable',
    '',
    '- status=200',
    `- ${check}`,
    '',
  ].join('\n');
}
