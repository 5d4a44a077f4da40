import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { loadProject } from '../../src/project/load-project.ts';
import { filterLines, startTestExample } from './test-example.ts';

const root = new URL('../../compose/example/', import.meta.url);
const readFileText = (file: string) => readFileSync(new URL(file, root), 'utf8');

/** Names and values of an env file. */
function parseEnv(file: string): Record<string, string> {
  const lines = readFileText(file).split('\n');
  const pairs = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('='));
  return Object.fromEntries(pairs.map(([name = '', ...value]) => [name, value.join('=')]));
}

async function loadConfig(folder: string) {
  copyFileSync(new URL('product/platform-config.yaml', root), join(folder, 'platform-config.yaml'));
  const names = Object.keys(parseEnv('product/.env.example'));
  writeFileSync(join(folder, '.env'), names.map((name) => `${name}=value-of-${name}\n`).join(''));
  return await loadProject(folder);
}

t.test('the config is valid and matches the compose file', async (t) => {
  const { config, problems } = await loadConfig(t.testdir());
  t.same(problems, []);
  const compose = parse(readFileText('compose.yaml'));
  const { app, db } = compose.services;
  t.equal(config?.deploy?.composeProject, compose.name);
  t.equal(config?.deploy?.network, compose.networks.signing.name);
  t.equal(config?.targets.http.baseUrl, `http://app:${app.environment.PORT}`);
  t.match(config?.targets.database, {
    host: 'db',
    port: 5432,
    database: db.environment.POSTGRES_DB,
    username: db.environment.READER_USER,
  });
  t.equal(config?.targets.auth?.bearerToken.reveal(), 'value-of-API_TOKEN');
  t.equal(config?.targets.database?.databasePassword.reveal(), 'value-of-DATABASE_PASSWORD');
  t.same(app.ports, ['127.0.0.1:3200:3100']);
  t.equal(db.ports, undefined, 'the database is not published');
});

t.test("the config's log fields are those of the application's log", async (t) => {
  const { config } = await loadConfig(t.testdir());
  const { correlationField = '', levelField = '', errorMatch, sagaEvent } = config?.logstore ?? {};
  const { sendRequest: ask, lines } = await startTestExample(t);
  const path = '/api/v2/envelope/envelope-0003/send';
  await ask('POST', path, { headers: { 'X-Request-Id': 'tr-1' } });
  const ownLines = lines.filter((line) => line[correlationField] === 'tr-1');
  t.same(ownLines, filterLines(lines, 'tr-1'));
  t.equal(ownLines.length, 3);
  t.equal(ownLines.filter((line) => sagaEvent !== undefined && line[sagaEvent.field] === sagaEvent.value).length, 2);
  t.ok(ownLines.every((line) => errorMatch?.test(String(line[levelField])) === false));
  await ask('POST', path, { headers: { 'X-Request-Id': 'tr-2' } });
  t.match(filterLines(lines, 'tr-2'), [{ status: 409 }]);
  t.ok(filterLines(lines, 'tr-2').every((line) => errorMatch?.test(String(line[levelField]))));
});

t.test('no secret is shipped, and every required secret is explained', async (t) => {
  for (const file of ['.env.example', 'product/.env.example']) {
    for (const [name, value] of Object.entries(parseEnv(file))) t.equal(value, '', `${name} of ${file} is left open`);
  }
  const listReferences = (file: string) =>
    [...readFileText(file).matchAll(/^[^#\n]*\$\{(\w+)/gm)].map(([, name]) => name);
  t.same(
    new Set(listReferences('product/platform-config.yaml')),
    new Set(Object.keys(parseEnv('product/.env.example'))),
  );
  const composed = new Set(listReferences('compose.yaml'));
  composed.delete('VP_IMAGE');
  t.same(composed, new Set(Object.keys(parseEnv('.env.example'))));
});

t.test('the reader is granted SELECT and nothing else', async (t) => {
  const sql = readFileText('database/10-reader.sql').replaceAll(/^--.*$/gm, '');
  const grants = [...sql.matchAll(/GRANT ([A-Z ]+?) ON/g)].map(([, privilege]) => privilege);
  t.same(new Set(grants), new Set(['CONNECT', 'USAGE', 'SELECT']));
  t.match(sql, /ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public GRANT SELECT ON TABLES/);
  t.notMatch(sql, /PASSWORD '/, 'its password is not in the file');
});
