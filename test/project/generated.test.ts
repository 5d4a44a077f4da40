import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import t from 'tap';
import { parse } from 'yaml';
import { generateValidatorCode, generateValidatorTypes } from '../../src/project/generate-validator.ts';
import schema from '../../src/project/platform-config.schema.json' with { type: 'json' };
import { findSchemaNode, formatExampleBelow, listKnownPointers } from '../../src/project/schema/schema-walk.ts';
import { validate } from '../../src/project/validator.generated.js';
import { fullConfig, minimalConfig } from './sample-configs.ts';

t.test('the generated validator is up to date with the schema', async (t) => {
  t.equal(readFileSync('src/project/validator.generated.js', 'utf8'), generateValidatorCode());
  t.equal(readFileSync('src/project/validator.generated.d.ts', 'utf8'), generateValidatorTypes());
});

t.test('it does not depend on ajv at run time', async (t) => {
  t.notMatch(generateValidatorCode(), /require\(|^import /m);
});

t.test('it agrees with ajv on the published schema', async (t) => {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  const published = ajv.compile(schema);
  const documents: unknown[] = [parse(minimalConfig), parse(fullConfig), {}, [], 'x', null, { project: 1 }, { a: 1 }];
  for (const document of documents) {
    t.equal(validate(document), published(document), JSON.stringify(document));
    t.equal(validate.errors?.length, published.errors?.length);
  }
});

t.test('every key has a valid example, and every leaf of the specification exists', async (t) => {
  for (const pointer of listKnownPointers()) {
    if (findSchemaNode(pointer)?.properties) continue;
    t.ok(parse(formatExampleBelow('', pointer)), pointer);
    t.ok(findSchemaNode(pointer)?.examples?.length, pointer);
  }
  const keys = listKnownPointers().map((pointer) => pointer.slice(1).replaceAll('/', '.'));
  const specified = [
    'project.name',
    'targets.http.base_url',
    'targets.database.type',
    'targets.database.jdbc_url',
    'targets.database.username',
    'targets.database.password',
    'targets.auth.type',
    'targets.auth.bearer_token',
    'deploy.compose_project',
    'deploy.network',
    'observability.logstore.log_format',
    'observability.logstore.correlation_field',
    'observability.logstore.level_field',
    'observability.logstore.error_match',
    'observability.logstore.saga_event_field',
    'observability.logstore.saga_event_value',
    'observability.dashboard.public_url.compose',
  ];
  t.same(
    specified.filter((key) => !keys.includes(key)),
    [],
  );
});

t.test('the worked example is valid against the published schema', async (t) => {
  const example = parse(readFileSync('compose/example/product/platform-config.yaml', 'utf8'));
  t.equal(validate(example), true);
});
