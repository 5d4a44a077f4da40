import t, { type Test } from 'tap';
import { ArgumentForm } from '../../../../src/console/hub/try/argument-form.tsx';
import { renderComponent } from '../../render-component.ts';

const schema = {
  type: 'object',
  required: ['title'],
  properties: {
    count: { type: 'integer', minimum: 1, default: 2 },
    title: { type: 'string', description: 'What it is about' },
    labels: { type: 'array', items: { type: 'string' } },
    urgent: { type: 'boolean' },
    filter: { type: 'object' },
  },
};

async function renderForm(t: Test, more: { inputSchema?: object; isDestructive?: boolean } = {}) {
  const calls: unknown[] = [];
  const { inputSchema = schema, isDestructive = false } = more;
  const tool = {
    ...{ name: 'tickets__create', title: null, description: null, connection: 'tickets', output_schema: null },
    input_schema: { ...inputSchema },
    annotations: { readOnlyHint: !isDestructive, destructiveHint: isDestructive },
  } as unknown as Parameters<typeof ArgumentForm>[0]['tool'];
  const page = await renderComponent(
    t,
    <ArgumentForm tool={tool} isPending={false} onCall={(values) => calls.push(values)} onStop={() => {}} />,
  );
  const submit = () => page.click(page.button('Call tickets__create'));
  const alert = () => page.container.querySelector('[role=alert]')?.textContent;
  return { ...page, calls, submit, alert };
}

t.test('required fields come first, and what is sent has the types of the schema', async (t) => {
  const { container, type, choose, calls, submit } = await renderForm(t);
  const labels = [...container.querySelectorAll('.field label')].map(({ textContent }) => textContent?.trim());
  t.same(labels, ['title required', 'count', 'labels', 'urgent', 'filter']);
  await type('title', 'Printer');
  await type('labels', 'a\n\nb');
  await choose('urgent ', 'false');
  await submit();
  t.same(calls, [{ title: 'Printer', count: 2, labels: ['a', 'b'], urgent: false }], 'empty fields are left out');
});

t.test('a field of JSON that is not JSON is refused by name, and nothing is sent', async (t) => {
  const { type, calls, submit, alert } = await renderForm(t);
  await type('title', 'Printer');
  await type('filter', '{"a":');
  await submit();
  t.equal(alert(), 'filter is not valid JSON');
  t.same(calls, []);
  await type('filter', '{"a":1}');
  await submit();
  t.match(calls, [{ filter: { a: 1 } }]);
  t.equal(alert(), undefined);
});

t.test('fields and JSON show the same arguments, in both directions', async (t) => {
  const { container, button, click, type, calls, submit } = await renderForm(t);
  await type('title', 'Printer');
  await click(button('JSON'));
  t.same(JSON.parse(container.querySelector('textarea')?.value ?? ''), { title: 'Printer', count: 2 });
  await type('Arguments', '{"title":"Scanner","urgent":true}');
  await click(button('Fields'));
  await submit();
  t.same(calls, [{ title: 'Scanner', urgent: true }]);
});

t.test('JSON with an argument that has no field, or that is no object, does not become fields', async (t) => {
  const { container, button, click, type, alert, calls, submit } = await renderForm(t);
  await click(button('JSON'));
  await type('Arguments', '{"title":"x","colour":"red"}');
  await click(button('Fields'));
  t.equal(alert(), 'Some arguments have no field.');
  t.match(container.querySelector('textarea')?.value, /colour/, 'and it is not lost');
  await submit();
  t.same(calls, [{ title: 'x', colour: 'red' }], 'it can be sent as it is');
  await type('Arguments', '[1]');
  await click(button('Fields'));
  t.equal(alert(), 'Arguments must be a JSON object: {…}');
});

t.test('a tool without fields starts with JSON; one that destroys asks for a confirmation', async (t) => {
  const { container } = await renderForm(t, { inputSchema: { type: 'object' }, isDestructive: true });
  t.equal(container.querySelector('[aria-selected=true]')?.textContent, 'JSON');
  t.equal(container.querySelector<HTMLInputElement>('input[type=checkbox]')?.required, true);
  const harmless = await renderForm(t);
  t.equal(harmless.container.querySelector('input[type=checkbox]'), null);
});
