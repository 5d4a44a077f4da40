import t from 'tap';
import { UncheckedParts } from '../../../../src/console/runs/evidence/proof-view.tsx';
import { renderComponent } from '../../render-component.ts';

t.test('an unchecked part says where the proposed arithmetic does not hold', async (t) => {
  const note = 'it should be count / perPage, rounded up, and it is not';
  const suggestion = 'body totalPages equals ceil(count / perPage)';
  const parts = [{ pointer: '/totalPages', value: '2', suggestion, note }];
  const { container } = await renderComponent(t, <UncheckedParts parts={parts} />);
  t.match(container.textContent, suggestion);
  t.match(container.textContent, note);
});
