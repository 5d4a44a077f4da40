import t, { type Test } from 'tap';
import { vpError } from '../../../../src/errors/vp-error.ts';
import { createProblemResponse } from '../../../../src/http/problem.ts';
import { renderConsoleOn } from '../../render-console.ts';

/** Whoever has `role` on a server that refuses the name `taken`. */
async function renderForm(t: Test, role: 'viewer' | 'member' | 'owner') {
  const sent: Record<string, unknown>[] = [];
  const person = { person_id: 'p1', name: 'Ana', email: 'ana@example.com', role, has_password: true };
  const session = { person, via: 'session', role, version: '0.4.0' };
  const page = await renderConsoleOn(
    t,
    '/settings/account',
    {
      session,
      async respond(method, { pathname }, init) {
        if (method === 'GET') return Response.json(pathname === '/api/v1/session' ? session : { items: [] });
        const input = JSON.parse(String(init?.body));
        sent.push(input);
        if (input.name === 'taken') return createProblemResponse(vpError('OWNER_LAST', {}));
        const key = {
          ...{ key_id: 'k1', name: input.name, role: input.role, created_at: new Date().toISOString() },
          ...{ expires_at: null, last_used_at: null },
        };
        return Response.json({ api_key: key, key: 'vpk_only-once' }, { status: 201 });
      },
    },
    async () => {
      const { NewApiKey } = await import('../../../../src/console/settings/account/new-api-key.tsx');
      return <NewApiKey />;
    },
  );
  const options = (index: number) =>
    [...(page.container.querySelectorAll('select')[index]?.options ?? [])].map(({ textContent }) => textContent);
  return { ...page, sent, options };
}

t.test('a key never has more rights than its person', async (t) => {
  t.same((await renderForm(t, 'viewer')).options(0), ['viewer']);
  t.same((await renderForm(t, 'member')).options(0).sort(), ['member', 'viewer']);
  t.same((await renderForm(t, 'owner')).options(0).sort(), ['member', 'owner', 'viewer']);
});

t.test('90 days are proposed; no expiration is sent as none', async (t) => {
  const { type, choose, click, button, until, sent, container } = await renderForm(t, 'owner');
  await type('Name', 'ci');
  await click(button('Create key'));
  await until(() => container.querySelector('dialog') !== null);
  t.same(sent, [{ name: 'ci', role: 'viewer', expires_in_days: 90 }]);
  const box = container.querySelector<HTMLInputElement>('dialog input[type=checkbox]');
  t.match(container.querySelector('dialog')?.textContent, /vpk_only-once/);
  if (box) await click(box);
  await click(button('Done'));
  await until(() => !/vpk_only-once/.test(container.textContent));
  await type('Name', 'forever');
  await choose('Expires', '');
  await choose('Role', 'member');
  await click(button('Create key'));
  await until(() => sent.length === 2);
  t.same(sent[1], { name: 'forever', role: 'member' });
});

t.test('a refusal is shown with its fix, and the name stays', async (t) => {
  const { type, click, button, until, container } = await renderForm(t, 'owner');
  await type('Name', 'taken');
  await click(button('Create key'));
  await until(() => container.querySelector('[role=alert]') !== null);
  t.match(
    container.querySelector('[role=alert]')?.textContent,
    /This is the last owner.*make another person an owner first/is,
  );
  t.equal(container.querySelector('input')?.value, 'taken');
});
