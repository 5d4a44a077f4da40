/** An agent that has only its tools, with the official client, in both eras of MCP. */
import t from 'tap';
import { createAgentTestSetup, eras, getText, secrets } from './agent-test-setup.ts';
import { startBuggyExample } from './planted-bug.ts';

const withMistake = `# Scenario: GET document

## Metadata

- ID: RT-GET-document
- Layer: HTTP Ingestion
- Tags: http, smoke

## TRIGGER

GET \${INGESTION_URL}/api/v2/document
X-Request-Id: \${corelation_id}

## EXPECT

### Runnable

- status=200
- body has data
- body has count > 0
- body has totalPages matching ^[0-9]+$

## TIMEOUT

10s
`;

const logstore = `observability:
  logstore:
    log_format: json
    correlation_field: requestId
    level_field: level
    error_match: 40|50|60
`;

for (const era of eras) {
  t.test(`from the guide to a scenario that passes once the application is mended (${era} era)`, async (t) => {
    const application = await startBuggyExample(t, secrets.API_TOKEN);
    const agentSetup = await createAgentTestSetup(t, {
      baseUrl: application.url,
      config: logstore,
      logSource: application.logFile,
    });
    const agent = await agentSetup.agent('test', era);

    const { tools } = await agent.client.listTools();
    t.equal(tools.length, 16);
    t.match(await agent.call('author__get_executor_status', { instance: 'shop' }), {
      text: /shop: healthy, REGISTERED/,
      data: {
        healthy: true,
        executor_status: 'REGISTERED',
        placeholders: ['INGESTION_URL', 'correlation_id'],
        log: { state: 'read' },
      },
    });
    const guide = await agent.call('author__get_guide');
    t.match(guide.text, /body has <field> matching <regex>/);
    t.match(guide.text, /## TRIGGER/);

    const probe = await agent.call('author__probe_target', { method: 'GET', path: '/api/v2/document' });
    t.match(probe.data, { status: 200, failure: null });
    t.match(getText(probe, 'body'), /"count":/);

    const first = await agent.call('author__validate_scenario', { text: withMistake });
    t.match(first.data, { valid: false });
    t.match(first.text, /line 12, column 15: .*corelation_id/);
    t.match(first.text, /did you mean `\$\{correlation_id\}`/);
    t.match(first.text, /error SCENARIO_\w+, line 20/);
    const text = withMistake.replace('corelation', 'correlation').replace('count > 0', 'count matching ^[1-9][0-9]*$');
    const second = await agent.call('author__validate_scenario', { text });
    t.match(second.data, { valid: true, diagnostics: [] });

    const scenarioFile = await agent.call('author__write_scenario', { text, if_revision: 0 });
    t.match(scenarioFile.data, { scenario_id: 'RT-GET-document', revision: 1, warnings: [] });
    t.match((await agent.call('author__list_scenarios')).data, { scenarios: [{ scenario_id: 'RT-GET-document' }] });

    const requested = await agent.call('author__request_run', { scenario_id: 'RT-GET-document', instance: 'shop' });
    const failed = await agent.call('author__get_run_status', { run_id: getText(requested, 'run_id') });
    t.match(failed.data, {
      final: true,
      result: 'failed',
      report: {
        failure: { kind: 'body_mismatch' },
        observed_status: 200,
        assertions_enforced_count: 3,
        failed_checks: [{ check: 'body has totalPages matching ^[0-9]+$', line: 21, column: 3 }],
        response: { status: 200 },
      },
    });
    t.match(failed.text, /Failed, line 21 of the scenario: body has totalPages matching/);
    t.match(failed.text, /expected: [\s\S]*actual: {3}/);
    t.match(failed.text, /Body( \(its beginning\))?:\n {4}\{"data"|body:\n/, 'the answer is shown');

    const logs = await agent.call('author__get_run_logs', { run_id: getText(requested, 'run_id') });
    t.match(logs.data, { line_count: 1, error_count: 0, problem: null, lines: [{ level: '30' }] });
    t.match(logs.text, getText(requested, 'correlation_id'));

    application.mend();
    const again = await agent.call('author__request_run', { scenario_id: 'RT-GET-document', prove: true });
    const passed = await agent.call('author__get_run_status', { run_id: getText(again, 'run_id') });
    t.match(passed.data, { result: 'passed', report: { assertions_enforced_count: 3, status_check_applied: true } });
    t.match(passed.text, /The status check was applied; it is never counted/);
    t.match((await agent.call('author__list_runs')).data, {
      runs: [{ result: 'passed' }, { result: 'failed', failure_kind: 'body_mismatch' }],
      tally: { passed: 1, failed: 1 },
    });
    t.same(agentSetup.logLines, [], 'nothing broke on the way');
  });
}
