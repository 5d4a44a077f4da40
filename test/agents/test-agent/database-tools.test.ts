/** The database tools of the test agent; tests with a real database are in test/containers. */
import t from 'tap';
import type { TargetDatabase } from '../../../src/executor/database/target-database.ts';
import { createAgentTestSetup, secrets } from '../agent-test-setup.ts';

const wide = 'x'.repeat(2000);

/** Tables and rows without a server. */
function databaseDouble(queries: string[]): TargetDatabase {
  const tables = Array.from({ length: 300 }, (_, index) => ({
    name: `table_${index}`,
    kind: 'table' as const,
    readable: index !== 1,
    columns: [
      { name: 'id', type: 'integer', nullable: false },
      { name: 'note', type: 'text', nullable: true },
    ],
    primaryKey: ['id'],
    references: [{ columns: ['owner_id'], table: 'people' }],
    approximateRows: 12,
  }));
  return {
    async query({ sql }) {
      queries.push(sql);
      if (/pg_/.test(sql))
        return { kind: 'unavailable', problem: 'it names a catalogue', cure: 'ask for tables of public' };
      const rows = /wide/.test(sql) ? Array.from({ length: 100 }, () => [wide, null]) : [['1', secrets.API_TOKEN]];
      return { kind: 'rows', columns: ['id', 'note'], rows, rowCount: rows.length, more: false };
    },
    describe: async () => tables,
    grants: async () => ({ writable: ['notes'], unreadable: ['table_1'], hidden: [], tooPowerful: [] }),
    close: async () => {},
  };
}

t.test('tables are described page by page, or one at a time', async (t) => {
  const agentSetup = await createAgentTestSetup(t, { baseUrl: 'http://127.0.0.1:1', database: databaseDouble([]) });
  const agent = await agentSetup.agent('test');
  const first = await agent.call('author__describe_database');
  t.match(
    first.text,
    /table table_0: id integer NOT NULL, note text; about 12 rows; key \(id\); \(owner_id\) → people/,
  );
  t.match(first.text, /table table_1: .*ask a person to grant SELECT/);
  t.match(first.text, /call again with offset \d+/);
  t.ok(first.text.length <= 16_000);
  const rest = await agent.call('author__describe_database', { offset: first.data.next_offset });
  t.notMatch(rest.text, /table_0:/);
  const oneTable = await agent.call('author__describe_database', { table: 'table_7' });
  t.match(oneTable.data, { count: 1, tables: [{ name: 'table_7', primary_key: ['id'] }] });
  const unknown = await agent.callExpectingError('author__describe_database', { table: 'tabel_7' });
  t.match(unknown.data, { code: 'AGENT_TABLE_UNKNOWN', message: /did you mean `table_7`/ });
});

t.test('the status reports excess and missing permissions of the read-only user', async (t) => {
  const agentSetup = await createAgentTestSetup(t, { baseUrl: 'http://127.0.0.1:1', database: databaseDouble([]) });
  for (const [role, name] of [
    ['test', 'author__get_executor_status'],
    ['product', 'product__get_instance_status'],
  ] as const) {
    const { data } = await (await agentSetup.agent(role)).call(name);
    t.match(data, {
      database: {
        state: 'read',
        problem: /reader has permission to write: notes.*cannot read: table_1/,
        cure: /GRANT SELECT/,
      },
    });
  }
});

t.test('a query returns bounded rows without secrets, or the reason of its refusal', async (t) => {
  const queries: string[] = [];
  const agentSetup = await createAgentTestSetup(t, {
    baseUrl: 'http://127.0.0.1:1',
    database: databaseDouble(queries),
  });
  const agent = await agentSetup.agent('test');
  const result = await agent.call('author__query_database', { sql: 'SELECT * FROM notes' });
  t.match(result.data, { columns: ['id', 'note'], rows: [['1', '[redacted]']], more: false });
  t.notMatch(JSON.stringify(result), secrets.API_TOKEN);
  const large = await agent.call('author__query_database', { sql: 'SELECT wide', limit: 100 });
  t.match(large.data, { more: true });
  t.match(large.text, /there are more: use LIMIT and OFFSET/);
  t.ok(large.text.length <= 16_000);
  t.match(await agent.callExpectingError('author__query_database', { sql: 'SELECT * FROM pg_authid' }), {
    data: { code: 'AGENT_QUERY_REFUSED', message: /it names a catalogue/, cure: 'ask for tables of public' },
  });
  t.equal(queries.length, 3);
});

t.test('without a database the agent learns who can add one', async (t) => {
  const agentSetup = await createAgentTestSetup(t, { baseUrl: 'http://127.0.0.1:1' });
  const agent = await agentSetup.agent('test');
  const status = await agent.call('author__get_executor_status');
  t.match(status.data, { database: { state: 'not connected', cure: String } }, 'though the config has one');
  for (const [name, input] of [
    ['author__describe_database', {}],
    ['author__query_database', { sql: 'SELECT 1' }],
  ] as const) {
    t.match(await agent.callExpectingError(name, input), {
      data: { code: 'AGENT_DATABASE_ABSENT', cure: /targets\.database/ },
    });
  }
});
