/**
 * A queue that this project did not write, pg-boss on PostgreSQL, and the dashboard that others wrote for it: a job that failed is
 * retried over HTTP, awaited, and looked up in the database and the log. What is then broken is found.
 */
import { PgBoss } from 'pg-boss';
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres/test-database.ts';
import { startQueueDashboard } from '../new/foreign-applications.ts';
import { createWorkspace } from '../test-workspace.ts';
import { writeDatabaseProject } from './database-project.ts';

const text = `# Scenario: GET job - that failed and was retried

## Metadata

- ID: RT-GET-job-retried
- Layer: HTTP Ingestion + Database + Log

## STEPS

use: failed-job.md

### retry it

POST \${INGESTION_URL}/api/job/\${job}/retry

- status=200
- body has job.state equals retry
- capture retries = body.job.retry_count

## TRIGGER

GET \${INGESTION_URL}/api/job/\${job}?vp_run=\${correlation_id}

## VERIFY

\`\`\`sql
SELECT state, receiver FROM verified_job WHERE id = \${job}::uuid
\`\`\`

## EXPECT

### Runnable

- status=200
- until body has state equals completed within 30s every 200ms
- body matches schema job.schema.json
- body has retrycount equals \${retries}
- body retrycount = 1
- body has output.sent equals true
- body has completedon within 1m of now
- db rows=1
- db has state equals completed
- db has receiver equals \${receiver}
- log lines>=1

## CASES

from: queues.json

## CLEANUP

### clear the queue

POST \${INGESTION_URL}/api/queue/\${queue}/clear
Content-Type: application/json

~~~json
{ "clearType": "all" }
~~~

- status=200
- body has deletedCount equals 1
`;

const failedJobText = `## STEPS

### find the job

GET \${INGESTION_URL}/api/jobs/\${queue}?state=failed

- status=200
- body length = 1
- body every state equals failed
- capture job = body[0].id
`;

const receivers = { mail: 'a@shop.example', invoices: 'b@shop.example' };
const queues = Object.keys(receivers) as (keyof typeof receivers)[];

const files = {
  'test/scenarios/job.md': text,
  'test/scenarios/failed-job.md': failedJobText,
  'test/scenarios/queues.json': JSON.stringify(queues.map((queue) => ({ queue, receiver: receivers[queue] }))),
  'test/scenarios/job.schema.json': JSON.stringify({
    type: 'object',
    required: ['id', 'name', 'state', 'completedon'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      state: { enum: ['completed'] },
      startedon: { type: 'string', format: 'date-time' },
    },
  }),
};

/** A job of each queue that has failed: the first attempt always fails. */
async function failJobs(boss: PgBoss, database: TestDatabase): Promise<void> {
  for (const queue of queues) await boss.send(queue, { to: receivers[queue] }, { retryLimit: 0 });
  await eventually(async () => {
    const [row] = await database.query("SELECT count(*)::int AS count FROM pgboss.job WHERE state = 'failed'");
    return row?.count === queues.length;
  });
}

t.test('pg-boss and its dashboard: a job that failed is retried', { skip: skipWithoutPostgres }, async (t) => {
  const database = await createTestDatabase(t);
  const boss = new PgBoss({ connectionString: database.url, supervise: false, schedule: false });
  boss.on('error', () => {});
  t.teardown(() => boss.stop({ graceful: false }));
  await boss.start();
  for (const queue of queues) {
    await boss.createQueue(queue);
    await boss.work(queue, { includeMetadata: true, pollingIntervalSeconds: 0.5 }, async ([job]) => {
      if (job?.retryCount === 0) throw new Error('the receiver is away');
      return { sent: true };
    });
  }
  // Queries read the schema `public` only, so a view shows what is in another one.
  await database.query(`
    CREATE VIEW verified_job AS SELECT id, state::text, data->>'to' AS receiver FROM pgboss.job;
    DO $$ BEGIN CREATE ROLE reader LOGIN PASSWORD 'reader-password'; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
    GRANT SELECT ON verified_job TO reader`);
  const workspace = createWorkspace(t, 'http://127.0.0.1:1', files);
  const { origin, logFile } = await startQueueDashboard(t, workspace.folder, database.url);
  writeDatabaseProject(workspace, { project: 'queue', origin, database });
  const run = () => workspace.vp(['run', '--local', '--log', logFile, '--test-dir', 'test']);

  await failJobs(boss, database);
  const first = await run();
  t.equal(first.code, 0, first.stdout + first.stderr);
  t.match(first.stdout, /2 cases: 2 passed/);
  t.same(
    await database.query('SELECT count(*)::int AS count FROM pgboss.job'),
    [{ count: 0 }],
    'the cleanup removed all',
  );

  await database.query(`
    CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN IF NEW.name = ''invoices'' THEN NEW.data := NEW.data - ''to''; END IF; RETURN NEW; END';
    CREATE TRIGGER forget BEFORE UPDATE ON pgboss.job FOR EACH ROW EXECUTE FUNCTION forget()`);
  await failJobs(boss, database);
  const second = await run();
  t.equal(second.code, 1, 'what only the database shows is found');
  t.match(second.stdout, /2 cases: 1 failed, 1 passed[\s\S]*db has receiver/);
});

t.setTimeout(120_000);
