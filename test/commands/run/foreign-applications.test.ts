/**
 * Two applications that this project did not write, from the development dependencies, verified with steps, captures, repetition,
 * cases, schemas, log and database. Each suite finds what is then broken: a verdict that could not be false proves nothing.
 */
import { setTimeout as sleepFor } from 'node:timers/promises';
import t from 'tap';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';
import { startJsonServer, startPostGraphile } from '../new/foreign-applications.ts';
import { createWorkspace } from '../test-workspace.ts';
import { writeDatabaseProject } from './database-project.ts';

const postGraphileText = `# Scenario: POST graphql - an order with its lines

## Metadata

- ID: RT-POST-order
- Layer: HTTP Ingestion + Database + Log

## STEPS

### create the order

POST \${INGESTION_URL}/graphql
Content-Type: application/json

~~~json
{ "query": "mutation { createPurchase(input: { purchase: { note: \\"\${correlation_id}\\" } }) { purchase { id state } } }" }
~~~

- status=200
- body has no errors
- body matches schema created.schema.json
- capture purchase = body.data.createPurchase.purchase.id

### add a line

POST \${INGESTION_URL}/graphql

~~~graphql
mutation ($id: Int!, $item: String!, $quantity: Int!) {
  createLine(input: { line: { purchaseId: $id, item: $item, quantity: $quantity, price: "2.50" } }) { line { id } }
}

variables
{ "id": \${purchase}, "item": "\${item}", "quantity": \${quantity} }
~~~

- status=200

### wait until it is shipped

POST \${INGESTION_URL}/graphql

~~~graphql
query ($id: Int!) { purchaseById(id: $id) { state } }

variables
{ "id": \${purchase} }
~~~

- status=200
- until body has data.purchaseById.state equals shipped within 10s every 200ms repeatable

## TRIGGER

POST \${INGESTION_URL}/graphql
X-Request-Id: \${correlation_id}

~~~graphql
query ($id: Int!) {
  purchaseById(id: $id) { note linesByPurchaseId(orderBy: ID_ASC) { totalCount nodes { item quantity price } } }
}

variables
{ "id": \${purchase} }
~~~

## VERIFY

\`\`\`sql
SELECT count(*) AS lines, sum(quantity * price) AS total FROM line WHERE purchase_id = \${purchase}
\`\`\`

## EXPECT

### Runnable

- status=200
- body has data.purchaseById.note matching ^tr-
- body data.purchaseById.linesByPurchaseId.nodes length = 1
- body every data.purchaseById.linesByPurchaseId.nodes.quantity >= 1
- db has lines equals 1
- db has total equals \${total}
- log lines>=1

## CASES

| case | item | quantity | total |
| --- | --- | --- | --- |
| one | lamp | 1 | 2.50 |
| three | chair | 3 | 7.50 |

## CLEANUP

### remove the lines

POST \${INGESTION_URL}/graphql

~~~graphql
mutation ($id: Int!) { deletePurchaseById(input: { id: $id }) { deletedPurchaseId } }

variables
{ "id": \${purchase} }
~~~

- status=200
`;

const tables = `
  CREATE TABLE purchase (id serial PRIMARY KEY, note text, state text NOT NULL DEFAULT 'new', created_at timestamptz DEFAULT now());
  CREATE TABLE line (
    id serial PRIMARY KEY, purchase_id int NOT NULL REFERENCES purchase ON DELETE CASCADE,
    item text NOT NULL, quantity int NOT NULL, price numeric(10, 2) NOT NULL
  );
  CREATE INDEX ON line (purchase_id);
  DO $$ BEGIN CREATE ROLE reader LOGIN PASSWORD 'reader-password'; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
  GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader`;

const createdSchema = JSON.stringify({
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      properties: {
        createPurchase: {
          properties: {
            purchase: {
              type: 'object',
              required: ['id', 'state'],
              properties: { id: { type: 'integer', minimum: 1 }, state: { const: 'new' } },
              additionalProperties: false,
            },
          },
        },
      },
    },
  },
});

t.test('PostGraphile on PostgreSQL: an order with its lines', { skip: skipWithoutPostgres }, async (t) => {
  const database = await createTestDatabase(t);
  await database.query(tables);
  const workspace = createWorkspace(t, 'http://127.0.0.1:1', {
    'test/scenarios/order.md': postGraphileText,
    'test/scenarios/created.schema.json': createdSchema,
  });
  const { origin, logFile } = await startPostGraphile(t, workspace.folder, database.url);
  writeDatabaseProject(workspace, { project: 'shop', origin, database });

  // The shop's own worker ships what is a moment old.
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const worker = (async () => {
    while (!stop.signal.aborted) {
      await database.query(
        "UPDATE purchase SET state = 'shipped' WHERE state = 'new' AND created_at < now() - interval '0.3 s'",
      );
      await sleepFor(50);
    }
  })();

  const run = () => workspace.vp(['run', '--local', '--log', logFile, '--test-dir', 'test']);
  const first = await run();
  t.equal(first.code, 0, first.stdout + first.stderr);
  t.match(first.stdout, /2 cases: 2 passed/);
  t.same(
    await database.query('SELECT count(*)::int AS count FROM purchase'),
    [{ count: 0 }],
    'the cleanup removed all',
  );

  await database.query(`
    CREATE FUNCTION double() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN NEW.quantity := NEW.quantity * CASE WHEN NEW.item = ''chair'' THEN 2 ELSE 1 END; RETURN NEW; END';
    CREATE TRIGGER double BEFORE INSERT ON line FOR EACH ROW EXECUTE FUNCTION double()`);
  const second = await run();
  t.equal(second.code, 1, 'what only the database shows is found');
  t.match(second.stdout, /2 cases: 1 failed, 1 passed/);
  t.match(second.stdout, /total[\s\S]*15\.00/);
  stop.abort();
  await worker;
});

const jsonServerText = `# Scenario: GET post - that was created

## Metadata

- ID: RT-GET-post
- Layer: HTTP Ingestion + Log

## STEPS

### create the post

POST \${INGESTION_URL}/posts
Content-Type: application/json

~~~json
{ "title": "\${title}", "tags": ["a", "b"] }
~~~

- status=201
- header Location matching /posts/[0-9]+$
- capture post = body.id

### wait until it can be found

GET \${INGESTION_URL}/posts?q=\${title}

- until body length >= 1 within 10s every 200ms

## TRIGGER

GET \${INGESTION_URL}/posts/\${post}?vp_run=\${correlation_id}

## EXPECT

### Runnable

- status=200
- body matches schema post.schema.json
- body has id equals \${post}
- body equals file post.json ignoring id, title
- log lines>=1

## CASES

from: titles.csv

## CLEANUP

### remove the post

DELETE \${INGESTION_URL}/posts/\${post}

- status=200
`;

t.test('json-server: a post, its file, its schema and its line of the log', async (t) => {
  const schema = (required: readonly string[]): string => JSON.stringify({ type: 'object', required });
  const workspace = createWorkspace(t, 'http://127.0.0.1:1', {
    'test/scenarios/post.md': jsonServerText,
    'test/scenarios/post.schema.json': schema(['id', 'title', 'tags']),
    'test/scenarios/post.json': JSON.stringify({ id: 0, title: '', tags: ['a', 'b'] }),
    'test/scenarios/titles.csv': 'case,title\nplain,hello\nwords,two words\n',
  });
  const { origin, logFile } = await startJsonServer(t, workspace.folder);
  workspace.write(
    'product/platform-config.yaml',
    `project: {name: posts}\ntargets:\n  http: {base_url: "${origin}"}\n`,
  );
  const run = () => workspace.vp(['run', '--local', '--log', logFile, '--test-dir', 'test']);
  const first = await run();
  t.equal(first.code, 0, first.stdout + first.stderr);
  t.match(first.stdout, /2 cases: 2 passed/);
  const posts: unknown = await (await fetch(`${origin}/posts`)).json();
  t.match(posts, { length: 2 }, 'the cleanup removed what the cases created');

  workspace.write('test/scenarios/post.schema.json', schema(['id', 'author']));
  const second = await run();
  t.equal(second.code, 1);
  t.match(second.stdout, /2 cases: 2 failed[\s\S]*author/);
});

t.setTimeout(120_000);
