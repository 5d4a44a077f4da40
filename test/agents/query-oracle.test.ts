/** `${body.…}` of a query must not hand an echoed token to the database, which would tell it a character at a time. */
import t from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import type { TargetDatabase } from '../../src/executor/database/target-database.ts';
import { createRunner } from '../../src/executor/execute.ts';
import { targetDispatcher } from '../../src/outbound/target-dispatcher.ts';
import { projectOf, requestOf, scenarioText } from '../executor/project.ts';
import { httpTarget } from '../targets/http-target.ts';

const token = 'Bq9-sekrit-token-of-the-target';

t.test('a query sees the token as checks do', async (t) => {
  const target = await httpTarget((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ auth: request.headers.authorization, id: 7 }));
  });
  const dispatcher = targetDispatcher();
  t.teardown(() => {
    dispatcher.close();
    return target.close();
  });
  const asked: (string | null)[] = [];
  const database: TargetDatabase = {
    async query({ values }) {
      asked.push(...values);
      const rows = values.map((value) => [value?.charAt(7) ?? null]);
      return { kind: 'rows', columns: ['letter'], rows, rowCount: rows.length, more: false };
    },
    describe: async () => [],
    grants: async () => ({ writable: [], unreadable: [], tooPowerful: [] }),
    close: async () => {},
  };
  const project = projectOf({ baseUrl: target.origin, token });
  const runner = createRunner({ project, dispatcher, clock: systemClock, version: '0.4.0', witnesses: { database } });
  const query = '## VERIFY\n\n```sql\nSELECT substr(${body.auth}, 8, 1) AS letter, ${body.id} AS id\n```\n\n## EXPECT';
  const text = scenarioText('GET ${INGESTION_URL}/echo\nX-Request-Id: ${correlation_id}', ['status=200', 'db rows>=1'])
    .replace('HTTP Ingestion', 'HTTP Ingestion + Database')
    .replace('## EXPECT', query);
  const report = await runner.execute(requestOf(text));
  t.equal(report.result, 'passed');
  t.match(report.notes.join(), /sent back one of its own secrets/);
  t.same([...new Set(asked)], ['Bearer [redacted]', '7']);
});
