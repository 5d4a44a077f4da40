import t from 'tap';
import { readSettings, SettingsError } from '../../compose/example/settings.ts';

t.test('only the token has no default', async (t) => {
  t.same(readSettings({ API_TOKEN: 'a' }), {
    port: 3100,
    host: '127.0.0.1',
    databaseUrl: undefined,
    sqliteFile: undefined,
    apiToken: 'a',
  });
});

t.test('every variable is read; surrounding white space and empty values are ignored', async (t) => {
  const variables = {
    PORT: ' 3200 ',
    HOST: '0.0.0.0',
    DATABASE_URL: 'postgres://signing:secret@db:5432/signing',
    SQLITE_FILE: '/data/example.db',
    API_TOKEN: 'a\n',
  };
  t.same(readSettings(variables), {
    port: 3200,
    host: '0.0.0.0',
    databaseUrl: variables.DATABASE_URL,
    sqliteFile: '/data/example.db',
    apiToken: 'a',
  });
  t.equal(readSettings({ API_TOKEN: 'a', DATABASE_URL: '', PORT: '' }).port, 3100);
  t.equal(
    readSettings({ API_TOKEN: 'a', DATABASE_URL: 'postgresql://db/signing' }).databaseUrl,
    'postgresql://db/signing',
  );
});

const wrong: readonly [variables: Record<string, string>, name: RegExp][] = [
  [{}, /^API_TOKEN is missing; set it/],
  [{ API_TOKEN: '  ' }, /^API_TOKEN is missing/],
  [{ API_TOKEN: 'hunter 2' }, /^API_TOKEN contains a blank/],
  [{ API_TOKEN: 'hunter2é' }, /^API_TOKEN contains/],
  [{ API_TOKEN: 'a', PORT: '65536' }, /^PORT is not a port/],
  [{ API_TOKEN: 'a', PORT: '-1' }, /^PORT/],
  [{ API_TOKEN: 'a', PORT: '80a' }, /^PORT/],
  [{ API_TOKEN: 'a', PORT: '0x50' }, /^PORT/],
  [{ API_TOKEN: 'a', DATABASE_URL: 'mysql://root:hunter2@db/signing' }, /^DATABASE_URL is not a PostgreSQL address/],
  [{ API_TOKEN: 'a', DATABASE_URL: 'jdbc:postgresql://db/signing' }, /^DATABASE_URL/],
  [{ API_TOKEN: 'a', DATABASE_URL: 'postgres://signing:hunter2@db:port/x' }, /^DATABASE_URL/],
];

t.test('an invalid variable is named with a fix, and its value is not repeated', async (t) => {
  for (const [variables, message] of wrong) {
    t.throws(() => readSettings(variables), { name: 'SettingsError', message });
    try {
      readSettings(variables);
    } catch (error) {
      t.ok(error instanceof SettingsError && !error.message.includes('hunter2'));
    }
  }
});
