import t from 'tap';
import { type Json, Numeral } from '../../src/check/json/json.ts';
import type { ObservedBody } from '../../src/check/observation.ts';
import { type BoundQuery, bindQuery } from '../../src/scenario/bind-query.ts';
import { readStatement } from '../../src/scenario/sql-statement.ts';
import { buildScenarioText, parseValid } from './samples.ts';

const values = { origin: 'http://app', correlationId: 'tr-1', variables: { TENANT: "o'brien" } };

function bound(sql: string, body: Json | ObservedBody['kind'] = 'empty'): BoundQuery {
  const text = buildScenarioText({
    metadata: '- ID: RT-1\n- Layer: HTTP Ingestion + Database',
    checks: '- db rows=1',
    more: `## VERIFY\n\n\`\`\`sql\n${sql}\n\`\`\``,
  });
  const [query] = parseValid(text, { variables: ['TENANT'] }).queries;
  if (query === undefined) throw new Error('no query');
  return bindQuery(query, values, observed(body));
}

function observed(body: Json): ObservedBody {
  if (body === 'empty') return { kind: 'empty' };
  if (body === 'not_json') return { kind: 'not_json', problem: 'unexpected <', excerpt: '<p>' };
  return { kind: 'json', value: body };
}

t.test('each placeholder becomes a separate parameter', async (t) => {
  t.same(bound('SELECT 1 FROM a WHERE b = ${correlation_id} AND c=${TENANT} AND d IN (${correlation_id})'), {
    sql: 'SELECT 1 FROM a WHERE b = $1 AND c=$2 AND d IN ($3)',
    values: ['tr-1', "o'brien", 'tr-1'],
  });
  t.same(bound('SELECT 1'), { sql: 'SELECT 1', values: [] });
});

t.test('values of the response are bound by their string form, null as null', async (t) => {
  const body = { id: 7, big: new Numeral('12345678901234567890'), name: 'x', tags: ['a', 1], none: null, yes: true };
  const sql = 'SELECT ${body.id}, ${body.big}, ${body.name}, ${body.tags}, ${body.tags[0]}, ${body.none}, ${body.yes}';
  t.same(bound(sql, body).values, ['7', '12345678901234567890', 'x', '["a",1]', 'a', null, 'true']);
});

t.test('a parameter never joins the adjacent text', async (t) => {
  t.equal(bound('SELECT${TENANT}1, a${TENANT}${TENANT}b').sql, 'SELECT $1 1, a $2 $3 b');
});

t.test('no value changes the statement', async (t) => {
  const evil = "'; DROP TABLE a; -- $1 ${TENANT}";
  const { sql, values: boundValues } = bound('SELECT ${body.a}', { a: evil });
  t.equal(sql, 'SELECT $1');
  t.same(boundValues, [evil]);
  t.ok('sql' in readStatement(sql));
});

t.test('a missing value is reported with its query', async (t) => {
  t.throws(() => bound('SELECT ${body.id}', { uuid: 1 }), {
    code: 'SCENARIO_QUERY_BODY_MISSING',
    message: '`${body.id}` has no value for the query `query`: no field `id`; there are: uuid',
  });
  t.throws(() => bound('SELECT ${body.id}'), { message: /the response has no body$/ });
  t.throws(() => bound('SELECT ${body.id}', 'not_json'), { message: /is not JSON$/ });
});

t.test('a variable without a value is reported', async (t) => {
  const text = buildScenarioText({
    metadata: '- ID: RT-1\n- Layer: HTTP Ingestion + Database',
    checks: '- db rows=1',
    more: '## VERIFY\n\n```sql\nSELECT ${OTHER}\n```',
  });
  const [query] = parseValid(text, { variables: 'any' }).queries;
  t.ok(query);
  if (query) t.throws(() => bindQuery(query, values, { kind: 'empty' }), { code: 'SCENARIO_VARIABLE_MISSING' });
});
