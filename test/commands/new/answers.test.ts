/** Answers in the forms in which people give them, and texts that are read back. */

import t from 'tap';
import { renderConfig } from '../../../src/commands/new/config-file.ts';
import { describeDatabaseAccess, parseDatabaseUrl } from '../../../src/commands/new/database-answer.ts';
import { formatEnvValue } from '../../../src/commands/new/new-files.ts';
import { formatCommandLine } from '../../../src/commands/new/paste.ts';
import { parseRequest } from '../../../src/commands/new/request-flag.ts';
import { parseAddress } from '../../../src/commands/new/target-answers.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { parseEnvFile } from '../../../src/project/env/env-file.ts';
import { parseProject } from '../../../src/project/parse-project.ts';
import { findFreePort } from '../../free-port.ts';

t.test('an address may be a port, a host with a port, or complete', async (t) => {
  const cases: readonly [string, string, string][] = [
    ['3000', 'http://127.0.0.1:3000', ''],
    [':8080', 'http://127.0.0.1:8080', ''],
    ['9', 'http://127.0.0.1:9', ''],
    ['localhost:3000', 'http://localhost:3000', ''],
    ['https://app.example/', 'https://app.example', ''],
    ['http://app.example:81/items?x=1', 'http://app.example:81', '/items?x=1'],
    ['[::1]:3000', 'http://[::1]:3000', ''],
  ];
  for (const [text, baseUrl, path] of cases) t.same(parseAddress(text), { baseUrl, path }, text);
  for (const text of ['ftp://x', 'a b', 'http://user:pass@host', 'http://', '65536', '123456'])
    t.ok('problem' in parseAddress(text), text);
});

t.test('a request may be a path, an address or a line of a scenario', async (t) => {
  const cases: readonly [string, string, string][] = [
    ['GET /items', 'GET', '/items'],
    ['/items?x=1', 'GET', '/items?x=1'],
    ['post http://127.0.0.1:3000/items', 'POST', '/items'],
    ['GET ${INGESTION_URL}/items', 'GET', '/items'],
    ['HEAD /', 'HEAD', '/'],
  ];
  for (const [text, method, path] of cases) t.same(parseRequest(text), { method, path }, text);
  for (const text of ['', 'GET', 'GET items', 'GETT /a', 'GET /a/:id', 'GET /{id}', 'GET /ä', 'GET /a /b'])
    t.throws(() => parseRequest(text), { code: 'NEW_REQUEST_INVALID' }, text);
});

t.test('the address of a database has a user and no password', async (t) => {
  t.same(parseDatabaseUrl('postgres://reader@db:6432/shop?sslmode=require'), {
    jdbcUrl: 'jdbc:postgresql://db:6432/shop?sslmode=require',
    username: 'reader',
  });
  t.match(parseDatabaseUrl('postgresql://reader@db/shop'), { jdbcUrl: 'jdbc:postgresql://db:5432/shop' });
  for (const text of [
    'mysql://a@b/c',
    'postgres://db/shop',
    'postgres://a:secret@db/shop',
    'postgres://a@db',
    'shop',
  ]) {
    const parsed = parseDatabaseUrl(text);
    t.ok('problem' in parsed, text);
    t.notMatch(JSON.stringify(parsed), 'secret');
  }
});

t.test('a value that is written to .env is read back unchanged', async (t) => {
  for (const value of [
    'plain',
    'a b',
    '#x',
    'it"s',
    "it's",
    'a\'"$\\b',
    'x=y',
    'Bearer abc',
    '$HOME',
    ' edge ',
    'a #b',
  ])
    t.equal(
      parseEnvFile(`NAME=${formatEnvValue(value)}\n`, '.env', (problem) => t.fail(problem.message)).get('NAME')?.value,
      value,
    );
});

t.test('words of a command are quoted where a shell would change them', async (t) => {
  t.equal(formatCommandLine(['vp', 'run', 'a b', 'x.log']), 'vp run "a b" x.log');
  t.equal(formatCommandLine(['vp', '$HOME', "it's $1"]), "vp '$HOME' 'it'\\''s $1'");
});

t.test('a config with everything is valid', async (t) => {
  const credential = { kind: 'header', header: 'X-Key', name: 'API_KEY', value: 'abcd' } as const;
  const level = { field: 'log.level', seen: ['INFO'], errorMatch: 'ERROR|FATAL' };
  const guess = { format: 'json', lines: 1, jsonLines: 1, level } as const;
  const text = renderConfig({
    name: 'shop: "one" #1',
    baseUrl: 'http://app:3000',
    credential,
    database: { jdbcUrl: 'jdbc:postgresql://db:5432/shop', username: 'reader', password: 'DATABASE_PASSWORD' },
    deploy: { project: 'shop', network: 'shop_default' },
    trace: { guess, channel: undefined, field: 'req.id', hasLevels: true, example: undefined, problem: undefined },
  });
  const problems: string[] = [];
  const envText = 'API_KEY=abcd\nDATABASE_PASSWORD=efgh\n';
  const config = parseProject({ configText: text, envText }, { use: 'compose' }, ({ message }) =>
    problems.push(message),
  );
  t.same(problems, []);
  t.match(config, {
    project: { name: 'shop: "one" #1' },
    logstore: { levelField: 'log.level', correlationField: 'req.id' },
  });
  if (!config) return;
  const port = await findFreePort();
  const database = config.targets.database && { ...config.targets.database, host: '127.0.0.1', port };
  const tried = await describeDatabaseAccess({ ...config, targets: { ...config.targets, database } }, [], {
    clock: systemClock,
  });
  t.match(tried, { problem: /127\.0\.0\.1/ }, 'a database that cannot be reached is told');
});
