/** `vp coverage` and `vp import openapi --sync`. */
import t from 'tap';
import { respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { createWorkspace, scenarioText } from '../test-workspace.ts';

const document = JSON.stringify({
  openapi: '3.1.0',
  paths: {
    '/api/v2/document': {
      get: {
        responses: {
          200: {
            content: {
              'application/json': {
                schema: { required: ['count'], properties: { count: { type: 'integer' }, data: {} } },
              },
            },
          },
          401: {},
        },
      },
    },
    '/api/v2/folder': { get: { responses: { 200: {} } } },
  },
});

const files = {
  'api.json': document,
  'scenarios/a.md': scenarioText('RT-GET-document', { checks: ['status=200', 'body has count'] }),
};

t.test('coverage names what no scenario sends, expects or checks', async (t) => {
  const { vp } = createWorkspace(t, 'http://127.0.0.1:9', files);
  const { code, stdout } = await vp(['coverage', 'api.json', '--test-dir', 'scenarios']);
  t.equal(code, 0);
  t.match(stdout, /✓ GET \/api\/v2\/document\n +no scenario expects 401\n +not checked: data\n/);
  t.match(stdout, /✕ GET \/api\/v2\/folder +no scenario\n/);
  t.match(stdout, /operations +1 of 2 \(50%\)\nstatuses +1 of 3 \(33%\)\nfields +1 of 2 \(50%\)\n/);
  t.match(await vp(['coverage', 'api.json', '--test-dir', 'scenarios', '--least', '51']), { code: 1 });
  t.match(await vp(['coverage', 'api.json', '--test-dir', 'scenarios', '--least', '50']), { code: 0 });
  t.match(JSON.parse((await vp(['coverage', 'api.json', '--test-dir', 'scenarios', '--json'])).stdout), {
    totals: { operations: { covered: 1, total: 2 } },
    operations: [
      { checked_fields: ['count'], unchecked_fields: ['data'], scenarios: ['RT-GET-document'] },
      { scenarios: [] },
    ],
  });
});

t.test('an invalid scenario or document is an error, not less coverage', async (t) => {
  const { vp } = createWorkspace(t, 'http://127.0.0.1:9', {
    ...files,
    'scenarios/b.md': '# Scenario: GET b\n',
    'no.json': '{}',
  });
  t.match(await vp(['coverage', 'api.json', '--test-dir', 'scenarios']), { code: 2, stderr: /SCENARIO_FILES_INVALID/ });
  t.match(await vp(['coverage', 'no.json', '--test-dir', 'scenarios']), { code: 2, stderr: /IMPORT_NOTHING/ });
});

t.test('--sync reports drift and writes nothing; with --against also the responses', async (t) => {
  const target = await startHttpTarget(respondWithJson({ count: 'many' }));
  t.teardown(() => target.close());
  const { vp } = createWorkspace(t, target.origin, files);
  const args = ['import', 'openapi', 'api.json', '--sync', '--test-dir', 'scenarios'];
  const { code, stdout } = await vp(args);
  t.equal(code, 1);
  t.match(stdout, /operations without a scenario: 1\n +GET \/api\/v2\/folder/);
  const observed = JSON.parse((await vp([...args, '--against', target.origin, '--json'])).stdout);
  t.match(observed.drift, [
    { kind: 'operation_without_scenario' },
    { kind: 'response_not_allowed', scenario: 'RT-GET-document', detail: /`count`: expected .* got "many"/ },
  ]);
  t.match(await vp(['import', 'hurl', 'api.json', '--sync']), { code: 2, stderr: /FLAG_NEEDS_ANOTHER/ });
});

t.test('--sync --against a target that does not answer is no agreement', async (t) => {
  const { vp, start, write } = createWorkspace(t, 'http://127.0.0.1:9', {
    'api.json': JSON.stringify({
      openapi: '3.1.0',
      paths: { '/api/v2/document': { get: { responses: { 200: {} } } } },
    }),
    'scenarios/a.md': scenarioText('RT-GET-document'),
  });
  const args = ['import', 'openapi', 'api.json', '--sync', '--test-dir', 'scenarios'];
  t.match(await vp(args), { code: 0, stdout: /scenarios and document agree\n/ });
  const silent = await vp([...args, '--against', 'http://127.0.0.1:9']);
  t.equal(silent.code, 4);
  t.match(silent.stdout, /sent, and not compared: 1\n {2}RT-GET-document .*127\.0\.0\.1:9/);
  t.match(silent.stdout, /responses compared: 0\n.*not all responses could be compared/);
  const json = JSON.parse((await vp([...args, '--against', 'http://127.0.0.1:9', '--json'])).stdout);
  t.match(json, { drift: [], compared: 0, not_sent: [], not_answered: [{ id: 'RT-GET-document' }] });

  const { promise: isRequested, resolve: requested } = Promise.withResolvers<void>();
  const target = await startHttpTarget(() => requested());
  t.teardown(() => target.close());
  const interrupted = start([...args, '--against', target.origin]);
  await isRequested;
  interrupted.interrupt();
  t.equal(await interrupted.ended, 130);
  t.equal(interrupted.written.stdout, '');

  write('scenarios/a.md', scenarioText('RT-GET-document').replace('GET ${INGESTION_URL}', 'DELETE ${INGESTION_URL}'));
  const refused = await vp([...args, '--against', target.origin]);
  t.match(refused.stdout, /not sent: 1\n {2}RT-GET-document {2}it may change data\n/);
  t.equal(refused.code, 4, 'no response was compared');
});
