import t, { type Test } from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import { renderConsole } from '../render-console.ts';

const roles = [
  ['viewer', 'viewer'],
  ['owner', 'owner'],
] as const;

async function renderPeople(t: Test, mayChange: boolean, error: Error | null = null) {
  const calls: string[] = [];
  let settle: () => void = () => {};
  const page = await renderConsole(t, '/', {}, async () => {
    const { PeopleTable, PeopleTableRow } = await import('../../../src/console/components/people-table.tsx');
    return (
      <PeopleTable timeColumn="Joined" mayChange={mayChange}>
        <PeopleTableRow
          person={{ name: 'Ben', email: 'ben@example.com', role: 'viewer' }}
          roles={roles}
          onRoleChange={(role) => calls.push(role)}
          timeColumn={['Joined', 'today']}
          mayChange={mayChange}
          error={error}
          removal={{
            title: 'Remove Ben',
            consequence: 'Their keys are revoked.',
            isPending: false,
            start(onSettled) {
              calls.push('remove');
              settle = onSettled;
            },
          }}
        />
      </PeopleTable>
    );
  });
  return { ...page, calls, settle: () => settle() };
}

t.test('who may not change people sees roles as text and no actions', async (t) => {
  const { container } = await renderPeople(t, false);
  const headers = [...container.querySelectorAll('th')].map(({ textContent }) => textContent);
  t.same(headers, ['Name', 'Email', 'Role', 'Joined']);
  t.equal(container.querySelector('[data-label=Role]')?.textContent, 'viewer');
  t.equal(container.querySelectorAll('button, select').length, 0);
});

t.test('a role is chosen in the row', async (t) => {
  const { choose, calls } = await renderPeople(t, true);
  await choose('Role of Ben', 'owner');
  t.same(calls, ['owner']);
});

t.test('a person is removed after their address was typed, and the dialog closes when it is done', async (t) => {
  const { container, button, click, type, calls, settle } = await renderPeople(t, true);
  await click(button('Remove… Ben'));
  t.match(container.querySelector('dialog')?.textContent, /Their keys are revoked/);
  await type('Type ben@example.com to confirm', 'Ben');
  t.equal(button('Remove').disabled, true);
  await type('Type ben@example.com to confirm', 'ben@example.com');
  await click(button('Remove'));
  t.same(calls, ['remove']);
  t.ok(container.querySelector('dialog'), 'it stays open until then');
  const { act } = await import('react');
  await act(async () => settle());
  t.notOk(container.querySelector('dialog'));
});

t.test('a refusal stands beside the name', async (t) => {
  const { container } = await renderPeople(t, true, vpError('OWNER_LAST', {}));
  t.match(container.querySelector('.person-name [role=alert]')?.textContent, /owner/);
});
