import { callApi } from './acme-hub.ts';
import { findAppearanceProblems, findProblemsAsDisplayed } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForCount, waitForText, waitForTexts } from './wait-for.ts';

const list = {
  type: 'object',
  properties: {
    count: { type: 'integer' },
    data: {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' }, owner: {} } },
    },
  },
};
const ok = { description: 'fine', content: { 'application/json': { schema: list } } };
const document = {
  openapi: '3.1.0',
  info: { title: 'Documents', version: '1' },
  paths: {
    '/documents': {
      get: { operationId: 'listDocuments', responses: { 200: ok, 401: { description: 'not allowed' } } },
      post: { operationId: 'createDocument', responses: { 201: { description: 'made' } } },
    },
    '/slow': { get: { deprecated: true, responses: { 200: { description: 'late' } } } },
    [`/a/${'very-long-segment-'.repeat(8)}{id}`]: { delete: { responses: { 204: { description: 'gone' } } } },
  },
};

type Totals = Readonly<Record<'operations' | 'statuses' | 'fields', { covered: number; total: number }>>;

browserTest(
  'the coverage page shows the numbers of `vp coverage`, and what is not checked first',
  async (t, context) => {
    const { owner, stage } = context;
    const file = stage.write('openapi.json', JSON.stringify(document));
    const result = await stage.run(['coverage', file, '--json', '--test-dir', 'test']);
    t.equal(result.code, 0, result.stderr);
    const { totals }: { totals: Totals } = JSON.parse(result.stdout);
    t.match(totals, { operations: { covered: 2, total: 4 }, statuses: { covered: 2, total: 5 } });

    const page = await owner();
    await page.goto(`/instances/${instance}/scenarios`);
    await page.getByRole('link', { name: 'Coverage' }).click();
    await page.getByRole('heading', { name: 'No OpenAPI document chosen' }).waitFor();
    t.same(
      await findAppearanceProblems(page, `/instances/${instance}/coverage`, 'input[type=file]'),
      [],
      'without a document',
    );

    const choose = (path: string) => page.locator('input[type=file]').setInputFiles(path);
    await choose(stage.write('notes.json', '{"openapi": "3.1.0"}'));
    const problem = page.getByRole('alert');
    await problem.waitFor();
    await waitForText(
      t,
      problem,
      /The file notes\.json cannot be used: it is not an OpenAPI document[\s\S]*COVERAGE_DOCUMENT_INVALID/,
    );

    await choose(file);
    const section = page.getByRole('region', { name: 'Totals' });
    await section.getByText(/4 operations against 3 scenarios/).waitFor();
    for (const [name, { covered, total }] of Object.entries(totals))
      await waitForText(t, section, new RegExp(`${name}[\\s\\S]*?${covered} of ${total}`, 'i'), name);

    const rows = page.locator('tbody tr');
    await waitForTexts(t, rows, [
      /POST \/documents[\s\S]*No scenario/,
      /DELETE \/a\/very/,
      /GET \/documents/,
      /GET \/slow[\s\S]*deprecated/,
    ]);
    await waitForText(t, rows.nth(2), /✓ 200[\s\S]*✕ 401[\s\S]*3 of 4/);

    await page.getByRole('button', { name: 'Details of GET /documents' }).press('Enter');
    const facts = page.getByLabel('Coverage of GET /documents');
    await waitForText(t, facts, /RT-COUNT, RT-MORE[\s\S]*Not expected\s+401[\s\S]*Not checked\s+data\.owner/);
    t.same(await findProblemsAsDisplayed(page), [], 'with the details of an operation');
    await page.getByRole('searchbox', { name: 'Find operations' }).fill('POST');
    await waitForCount(t, rows, 1, 'the search selects operations by their method');
    await page.getByRole('searchbox', { name: 'Find operations' }).fill('');
    await page.getByRole('combobox', { name: 'Show' }).selectOption('complete');
    await waitForTexts(t, rows, [/GET \/slow/]);

    t.same(await findAppearanceProblems(page, `/instances/${instance}/coverage`, '[data-row]'), [], 'with a document');
  },
);

browserTest('the coverage page says that it loads, and tries again after an error', async (t, { owner, stage }) => {
  const page = await owner();
  const file = stage.write('openapi.json', JSON.stringify(document));
  let released = Promise.withResolvers<void>();
  let status = 200;
  await page.route(/\/scenarios\/RT-/, async (route) => {
    await released.promise;
    if (status === 200) await route.continue();
    else await route.fulfill({ status, contentType: 'application/problem+json', body: '{}' });
  });
  await page.goto(`/instances/${instance}/coverage`);
  await page.locator('input[type=file]').setInputFiles(file);
  await page
    .getByRole('status', { name: /Loading/ })
    .or(page.locator('[aria-busy=true]'))
    .first()
    .waitFor();
  released.resolve();
  await page.getByText(/4 operations against 3 scenarios/).waitFor();

  released = Promise.withResolvers();
  released.resolve();
  status = 500;
  await page.reload();
  const problem = page.getByRole('alert');
  await problem.waitFor();
  status = 200;
  await problem.getByRole('button').first().click();
  await page.getByText(/4 operations against 3 scenarios/).waitFor();
  await waitForCount(t, page.getByRole('alert'), 0, 'the error is gone');

  await page.getByRole('combobox', { name: 'Environment' }).waitFor();
  await callApi(page, 'POST', '/instances', { instance_id: 'empty' });
  await page.goto('/instances/empty/coverage');
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText(/4 operations against 0 scenarios/).waitFor();
  await waitForText(t, page.getByRole('region', { name: 'Totals' }), /0%\s+0 of 4/);
});
