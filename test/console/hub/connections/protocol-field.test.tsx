import t from 'tap';
import { createConnectionDraft, hasProtocol } from '../../../../src/console/hub/connections/connection-draft.ts';
import { ProtocolField } from '../../../../src/console/hub/connections/protocol-field.tsx';
import { renderComponent } from '../../render-component.ts';

t.test('the field shows what is stored, and names the revisions', async (t) => {
  const draft = { ...createConnectionDraft(undefined), protocol: 'older' as const };
  const { container } = await renderComponent(t, <ProtocolField draft={draft} onChange={() => {}} />);
  const select = container.querySelector('select');
  t.equal(container.querySelector('label')?.textContent, 'Protocol');
  t.equal(select?.value, 'older');
  t.equal(select?.options.length, 3);
  t.match(select?.selectedOptions[0]?.textContent, /before 2026-07-28/);
});

t.test('kinds with one protocol have no choice', async (t) => {
  t.same(
    (['http', 'sse', 'stdio', 'memory'] as const).filter((kind) => hasProtocol(kind)),
    ['http', 'stdio'],
  );
});
