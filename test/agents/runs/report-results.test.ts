/** Reports as agents read them: precise when small, bounded however large. */
import t from 'tap';
import type { AgentPorts } from '../../../src/agents/ports.ts';
import { callTool, findTool } from '../../../src/agents/tools/call-tool.ts';
import type { AgentRole } from '../../../src/contract/agents/agent-token.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import type { Report, ReportCheck } from '../../../src/report/report.ts';
import { passed } from '../../report/report-fixtures.ts';

const check: ReportCheck = {
  text: 'log has line with level=30',
  kind: 'log-has',
  line: 31,
  column: 3,
  outcome: 'failed',
  counted: false,
  looks_at: 'log',
  expected: 'a line whose level is 30',
  actual: 'no such line among 2',
  pointer: null,
};

const log: Report['log'] = {
  line_count: 2,
  error_count: 1,
  saga_event_count: 0,
  lines: [
    { text: '{"level":20,"msg":"taken"}', level: '20', error: false, saga_event: false },
    { text: '{"level":50,"msg":"order 4711 broke"}', level: '50', error: true, saga_event: false },
  ],
  problem: null,
  cure: null,
  waited_ms: 12,
};

const query: Report['queries'][number] = {
  name: 'stored',
  line: 22,
  sql: 'SELECT state FROM orders WHERE id = $1',
  columns: ['state'],
  rows: [['open']],
  row_count: 1,
  truncated: false,
  duration_ms: 2,
  problem: null,
  cure: null,
};

const proof: Report['proof'] = {
  changes: 9,
  checks: [
    {
      text: 'body has id',
      line: 28,
      verdict: 'proven',
      changes: 3,
      noticed: 3,
      covered_by: [],
      example: 'gone',
      advice: null,
    },
    {
      text: 'body has id matching .*',
      line: 29,
      verdict: 'never_fails',
      changes: 3,
      noticed: 0,
      covered_by: [],
      example: null,
      advice: 'match the digits',
    },
  ],
  unchecked: [{ pointer: '/total', value: '12', suggestion: 'body has total equals 12' }],
  problem: null,
};

function sampleReport(parts: Partial<Report>): Report {
  return { ...passed(), ...parts };
}

/** Ports whose control plane has one run with `report`. */
function createPorts(report: Report): AgentPorts {
  const run = {
    ...{
      run_id: report.run_id,
      correlation_id: report.correlation_id,
      instance: 'shop',
      scenario_id: report.scenario.id,
    },
    ...{ title: 't', revision: 1, state: 'failed', result: 'failed', origin: 'queue', requested_by: 'agent' },
    ...{ requested_at: report.started_at, started_at: null, finished_at: null, cancel_requested: false },
    ...{
      queue_position: 0,
      failure_kind: 'body_mismatch',
      failure_message: 'x',
      failure_summary: `failed ${'y'.repeat(5000)}`,
    },
    ...{ observed_status: 200, assertions_enforced_count: 1, duration_ms: 5 },
    ...{ report, late_report: null, scenario_text: 'text', report_expired: false },
  };
  const runs = {
    get: async () => run,
    list: async ({ limit = 200 }) => ({ items: Array(limit).fill(run), next_cursor: null }),
    listScenarioResults: async () => [],
  };
  // @ts-expect-error only what the tools of runs need
  return { control: { runs }, clock: systemClock, redact: (text: string) => text };
}

async function ask(role: AgentRole, name: string, report: Report, input: object = {}) {
  const context = { instance: 'shop', signal: new AbortController().signal, progress: undefined };
  const onError = (error: unknown): void => void t.fail(String(error));
  const parts = { role, ports: createPorts(report), onError };
  const { content, structuredContent, isError } = await callTool(parts, findTool(role, name), input, context);
  if (isError) t.fail(content[0]?.text ?? name);
  return { text: content[0]?.text ?? '', data: structuredContent };
}

t.test('log, queries and proof are in the text, errors first', async (t) => {
  const report = sampleReport({
    log,
    queries: [query],
    proof,
    checks: [check],
    failed_checks: [check],
    evidence_assertions_count: 1,
  });
  for (const [role, name] of [
    ['test', 'author__get_run_status'],
    ['product', 'product__get_run_report'],
  ] as const) {
    const { text, data } = await ask(role, name, report, { run_id: report.run_id });
    t.match(
      text,
      /Failed, line 31 of the scenario: log has line with level=30\n {2}expected: a line.*\n {2}actual: {3}no such/,
    );
    t.match(text, /Log: 2 lines, 1 error, 0 saga events\n {2}! \[50\] .*4711.*\n {4}\[20\] .*taken/);
    t.match(text, /Query stored: 1 row \(state\)\n {4}open/);
    t.match(
      text,
      /Proof: 1 check proven by 9 changes\n {2}line 29 never_fails: body has id matching \.\* \(match the digits\)/,
    );
    t.match(text, /\/total is not checked: - body has total equals 12/);
    t.match(text, /evidence_assertions_count 1/);
    t.match(data, { report: { log: { error_count: 1 }, proof: { proven: 1, weak_checks: [{ line: 29 }] } } });
  }
});

t.test('lines are read in pages, or errors only', async (t) => {
  const lines = Array.from({ length: 120 }, (_, index) => ({
    text: `{"msg":"line ${index}"}`,
    level: null,
    error: index % 40 === 0,
    saga_event: false,
  }));
  const report = sampleReport({ log: { ...log, lines, line_count: 500, error_count: 3 } });
  const first = await ask('test', 'author__get_run_logs', report, { run_id: report.run_id });
  t.match(first.data, { line_count: 500, next_offset: 50, lines: { length: 50 } });
  t.match(first.text, /call again with offset 50\.\nThe report keeps the first 120 lines/);
  const last = await ask('product', 'product__get_run_logs', report, { run_id: report.run_id, offset: 100 });
  t.match(last.data, { next_offset: null, lines: { length: 20 } });
  const errors = await ask('test', 'author__get_run_logs', report, { run_id: report.run_id, errors_only: true });
  t.match(errors.data, { lines: { length: 3 } });
});

t.test('a log without a line of the run has a reason, and so have errors that are not known', async (t) => {
  const { request, ...exchange } = sampleReport({}).exchange;
  const withHeaders = (headers: [string, string][]) =>
    sampleReport({
      log: { ...log, lines: [], line_count: 0, error_count: 0 },
      exchange: { ...exchange, request: { method: 'GET', url: 'http://a/', body: null, ...request, headers } },
    });
  for (const [role, tool] of [
    ['test', 'author__get_run_logs'],
    ['product', 'product__get_run_logs'],
  ] as const) {
    const report = withHeaders([['X-Request-Id', 'tr-1']]);
    const { text, data } = await ask(role, tool, report, { run_id: report.run_id });
    t.match(data, { line_count: 0, problem: 'request-id logging is not in the running target', cure: /X-Request-Id/ });
    t.match(text, /No lines: request-id logging is not in the running target\.\nFix: let it log/);
    const without = await ask(role, tool, withHeaders([]), { run_id: report.run_id });
    t.match(without.text, 'No lines: the request carried no run id.');
  }
  const errors_unknown = { problem: '`error_match` missing', cure: 'add it' };
  const unknown = sampleReport({ log: { ...log, error_count: 0, errors_unknown } });
  const answer = await ask('test', 'author__get_run_logs', unknown, { run_id: unknown.run_id, errors_only: true });
  t.match(
    answer.text,
    /errors not known(?:.|\n)*Which lines are errors is not known: `error_match` missing\.\nFix: add it/,
  );
  const summary = await ask('product', 'product__get_error_summary', unknown);
  t.match(summary.text, 'Which log lines are errors is not known: `error_match` missing');
  t.notMatch(summary.text, 'No error lines');
});

t.test('error lines that differ only in numbers and ids are one group', async (t) => {
  const broken = (id: number) => ({
    text: `{"level":50,"msg":"order ${id} broke"}`,
    level: '50',
    error: true,
    saga_event: false,
  });
  const report = sampleReport({ log: { ...log, lines: [broken(1), broken(2), broken(77)] } });
  const { data, text } = await ask('product', 'product__get_error_summary', report);
  t.match(data, { errors: [{ level: '50', message: 'order # broke', count: 60 }], reports_read: 20, failed: 200 });
  t.match(text, /60 × \[50\] .*order 1 broke/);
});

t.test('a result is bounded, however large the report is', async (t) => {
  const long = 'ü'.repeat(20_000);
  const failed = { ...check, expected: long, actual: long, pointer: '/a', text: long.slice(0, 4000) };
  const rows = Array.from({ length: 100 }, () => Array.from({ length: 50 }, () => long.slice(0, 1000)));
  const part = { pointer: '/x', value: long, suggestion: long.slice(0, 300) };
  const report = sampleReport({
    checks: Array(1000).fill(failed),
    failed_checks: Array(1000).fill(failed),
    notes: Array(100).fill(long),
    log: { ...log, lines: Array(200).fill({ text: long.slice(0, 4096), level: '50', error: true, saga_event: false }) },
    queries: Array(20).fill({ ...query, rows, sql: long, columns: Array(2000).fill('column') }),
    proof: {
      ...proof,
      checks: Array(1000).fill({ ...proof.checks[1], advice: long.slice(0, 4000) }),
      unchecked: Array(1000).fill(part),
    },
    exchange: {
      request: { method: 'GET', url: `http://a/${long}`, headers: Array(2000).fill(['X-A', long]), body: long },
      response: {
        status: 200,
        headers: Array(2000).fill(['content-type', long]),
        body: { text: JSON.stringify({ a: long }), size_bytes: 1, truncated: false },
      },
    },
  });
  const id = { run_id: report.run_id };
  const requests: readonly (readonly [AgentRole, string, object])[] = [
    ['test', 'author__get_run_status', id],
    ['test', 'author__get_run_logs', id],
    ['test', 'author__list_runs', { limit: 50 }],
    ['product', 'product__list_runs', {}],
    ['product', 'product__get_run_report', id],
    ['product', 'product__get_error_summary', {}],
    ...['checks', 'request', 'response', 'queries', 'proof'].map(
      (name) => ['test', 'author__get_run_status', { ...id, part: name }] as const,
    ),
  ];
  for (const [role, name, input] of requests) {
    const { text, data } = await ask(role, name, report, input);
    const result = `${name} ${JSON.stringify(input)}: ${text.length}, ${JSON.stringify(data).length}`;
    t.ok(text.length <= 16_000 && JSON.stringify(data).length <= 48_000, result);
    t.notMatch(data, { cut: true }, 'bounded by the tool itself');
  }
});
