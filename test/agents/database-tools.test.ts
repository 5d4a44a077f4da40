/** The database as the test agent reads it; what a real database refuses is shown with a real one elsewhere. */
import t from 'tap';
import type { TargetDatabase } from '../../src/executor/database/target-database.ts';
import { agentHouse, secrets } from './house.ts';

const wide = 'x'.repeat(2000);

/** Tables and rows without a server. */
function databaseDouble(asked: string[]): TargetDatabase {
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
      asked.push(sql);
      if (/pg_/.test(sql))
        return { kind: 'unavailable', problem: 'it names a catalogue', cure: 'ask for tables of public' };
      const rows = /wide/.test(sql) ? Array.from({ length: 100 }, () => [wide, null]) : [['1', secrets.API_TOKEN]];
      return { kind: 'rows', columns: ['id', 'note'], rows, rowCount: rows.length, more: false };
    },
    describe: async () => tables,
    grants: async () => ({ writable: ['notes'], unreadable: ['table_1'], tooPowerful: [] }),
    close: async () => {},
  };
}

t.test('tables are described piece by piece, or one alone', async (t) => {
  const house = await agentHouse(t, { baseUrl: 'http://127.0.0.1:1', database: databaseDouble([]) });
  const agent = await house.agent('test');
  const first = await agent.call('author__describe_database');
  t.match(
    first.text,
    /table table_0: id integer NOT NULL, note text; about 12 rows; key \(id\); \(owner_id\) → people/,
  );
  t.match(first.text, /table table_1: .*a person grants SELECT/);
  t.match(first.text, /call again with offset \d+/);
  t.ok(first.text.length <= 16_000);
  const rest = await agent.call('author__describe_database', { offset: first.data.next_offset });
  t.notMatch(rest.text, /table_0:/);
  const one = await agent.call('author__describe_database', { table: 'table_7' });
  t.match(one.data, { count: 1, tables: [{ name: 'table_7', primary_key: ['id'] }] });
  const unknown = await agent.refused('author__describe_database', { table: 'tabel_7' });
  t.match(unknown.data, { code: 'AGENT_TABLE_UNKNOWN', message: /did you mean `table_7`/ });
});

t.test('the status tells what the read-only user may do too much or too little', async (t) => {
  const house = await agentHouse(t, { baseUrl: 'http://127.0.0.1:1', database: databaseDouble([]) });
  for (const [role, name] of [
    ['test', 'author__get_executor_status'],
    ['product', 'product__get_instance_status'],
  ] as const) {
    const { data } = await (await house.agent(role)).call(name);
    t.match(data, {
      database: { state: 'read', problem: /reader could write: notes.*cannot read: table_1/, cure: /GRANT SELECT/ },
    });
  }
});

t.test('a query gives bounded rows without secrets, or why it was refused', async (t) => {
  const asked: string[] = [];
  const house = await agentHouse(t, { baseUrl: 'http://127.0.0.1:1', database: databaseDouble(asked) });
  const agent = await house.agent('test');
  const told = await agent.call('author__query_database', { sql: 'SELECT * FROM notes' });
  t.match(told.data, { columns: ['id', 'note'], rows: [['1', '[redacted]']], more: false });
  t.notMatch(JSON.stringify(told), secrets.API_TOKEN);
  const large = await agent.call('author__query_database', { sql: 'SELECT wide', limit: 100 });
  t.match(large.data, { more: true });
  t.match(large.text, /there are more: use LIMIT and OFFSET/);
  t.ok(large.text.length <= 16_000);
  t.match(await agent.refused('author__query_database', { sql: 'SELECT * FROM pg_authid' }), {
    data: { code: 'AGENT_QUERY_REFUSED', message: /it names a catalogue/, cure: 'ask for tables of public' },
  });
  t.equal(asked.length, 3);
});

t.test('without a database the agent is told who can add one', async (t) => {
  const house = await agentHouse(t, { baseUrl: 'http://127.0.0.1:1' });
  const agent = await house.agent('test');
  const status = await agent.call('author__get_executor_status');
  t.match(status.data, { database: { state: 'not connected', cure: String } }, 'though the config has one');
  for (const [name, input] of [
    ['author__describe_database', {}],
    ['author__query_database', { sql: 'SELECT 1' }],
  ] as const) {
    t.match(await agent.refused(name, input), { data: { code: 'AGENT_DATABASE_ABSENT', cure: /targets\.database/ } });
  }
});
