import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import t from 'tap';
import { parse } from 'yaml';
import { validatorCode, validatorTypes } from '../../src/project/generate-validator.ts';
import schema from '../../src/project/platform-config.schema.json' with { type: 'json' };
import { exampleBelow, knownPointers, nodeAt } from '../../src/project/schema-walk.ts';
import { validate } from '../../src/project/validator.generated.js';
import { smallest, whole } from './samples.ts';

t.test('the generated validator is the one that the schema gives today', async (t) => {
  t.equal(readFileSync('src/project/validator.generated.js', 'utf8'), validatorCode());
  t.equal(readFileSync('src/project/validator.generated.d.ts', 'utf8'), validatorTypes());
});

t.test('it needs nothing of ajv at run time', async (t) => {
  t.notMatch(validatorCode(), /require\(|^import /m);
});

t.test('it agrees with ajv on the published schema', async (t) => {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  const published = ajv.compile(schema);
  const documents: unknown[] = [parse(smallest), parse(whole), {}, [], 'x', null, { project: 1 }, { a: 1 }];
  for (const document of documents) {
    t.equal(validate(document), published(document), JSON.stringify(document));
    t.equal(validate.errors?.length, published.errors?.length);
  }
});

t.test(
  'every key has an example that is valid in its place, and every leaf of the specification is there',
  async (t) => {
    for (const pointer of knownPointers()) {
      if (nodeAt(pointer)?.properties) continue;
      t.ok(parse(exampleBelow('', pointer)), pointer);
      t.ok(nodeAt(pointer)?.examples?.length, pointer);
    }
    const keys = knownPointers().map((pointer) => pointer.slice(1).replaceAll('/', '.'));
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
  },
);

t.test('the worked example is valid against the published schema', async (t) => {
  const example = parse(readFileSync('compose/example/product/platform-config.yaml', 'utf8'));
  t.equal(validate(example), true);
});
