/**
 * `${body.…}` of a query must not pass an echoed token to the database, which could reveal it one character at a time.
 */
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import type { TargetDatabase } from '../../../src/executor/database/target-database.ts';
import { createRunner } from '../../../src/executor/runs/runner.ts';
import { createTargetDispatcher } from '../../../src/outbound/target-dispatcher.ts';
import { createRunRequest, createTestProject, scenarioText } from '../../executor/test-project.ts';
import { startHttpTarget } from '../../targets/http-target.ts';

const token = 'Bq9-sekrit-token-of-the-target';

t.test('a query sees concealed secrets, as checks do', async (t) => {
  const target = await startHttpTarget((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ auth: request.headers.authorization, id: 7 }));
  });
  const dispatcher = createTargetDispatcher();
  t.teardown(() => {
    dispatcher.close();
    return target.close();
  });
  const queries: (string | null)[] = [];
  const database: TargetDatabase = {
    async query({ values }) {
      queries.push(...values);
      const rows = values.map((value) => [value?.charAt(7) ?? null]);
      return { kind: 'rows', columns: ['letter'], rows, rowCount: rows.length, more: false };
    },
    describe: async () => [],
    grants: async () => ({ writable: [], unreadable: [], hidden: [], tooPowerful: [] }),
    close: async () => {},
  };
  const project = createTestProject({ baseUrl: target.origin, token });
  const runner = createRunner({
    project,
    dispatcher,
    clock: systemClock,
    version: '0.4.0',
    evidenceSources: { database },
  });
  const query = '## VERIFY\n\n```sql\nSELECT substr(${body.auth}, 8, 1) AS letter, ${body.id} AS id\n```\n\n## EXPECT';
  const text = scenarioText('GET ${INGESTION_URL}/echo\nX-Request-Id: ${correlation_id}', ['status=200', 'db rows>=1'])
    .replace('HTTP Ingestion', 'HTTP Ingestion + Database')
    .replace('## EXPECT', query);
  const report = await runner.execute(createRunRequest(text));
  t.equal(report.result, 'passed');
  t.match(report.notes.join(), /returned one of its own secrets/);
  t.same([...new Set(queries)], ['Bearer [redacted]', '7']);
});
