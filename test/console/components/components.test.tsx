import t from 'tap';
import { ConfirmDialog } from '../../../src/console/components/confirm-dialog.tsx';
import { EmptyState } from '../../../src/console/components/empty-state.tsx';
import { ErrorNotice } from '../../../src/console/components/error-notice.tsx';
import { vpError } from '../../../src/errors/vp-error.ts';
import { renderComponent } from '../render-component.ts';

t.test('a destructive action is possible only after its text was typed exactly', async (t) => {
  let confirmations = 0;
  let closings = 0;
  const dialog = await renderComponent(
    t,
    <ConfirmDialog
      title="Remove acme"
      consequence="Its tokens are revoked."
      confirmationText="acme"
      confirmLabel="Remove"
      isPending={false}
      onConfirm={() => {
        confirmations += 1;
      }}
      onClose={() => {
        closings += 1;
      }}
    />,
  );
  const remove = dialog.button('Remove');
  t.equal(document.activeElement?.tagName, 'INPUT', 'the text can be typed at once');
  t.equal(remove.disabled, true);
  await dialog.type('Type acme to confirm', 'acm');
  t.equal(remove.disabled, true);
  await dialog.type('Type acme to confirm', 'acme');
  t.equal(remove.disabled, false);
  await dialog.click(remove);
  t.equal(confirmations, 1);
  await dialog.click(dialog.button('Cancel'));
  t.equal(closings, 1);
});

t.test(
  'an error shows its message, its fix and its code, and offers another attempt where that can help',
  async (t) => {
    let attempts = 0;
    const retry = () => {
      attempts += 1;
    };
    const unreachable = vpError('CONTROL_PLANE_UNREACHABLE', { url: 'http://localhost:7700', problem: 'refused' });
    const notice = await renderComponent(t, <ErrorNotice error={unreachable} retry={retry} />);
    t.equal(
      notice.container.querySelector('[role=alert]')?.querySelector('code.faint')?.textContent,
      'CONTROL_PLANE_UNREACHABLE',
    );
    await notice.click(notice.button('Try again'));
    t.equal(attempts, 1);
  },
);

t.test('an empty list says what is missing and what to do', async (t) => {
  const { container } = await renderComponent(
    t,
    <EmptyState title="No runs yet">
      <p>Request a run.</p>
    </EmptyState>,
  );
  t.equal(container.querySelector('h2')?.textContent, 'No runs yet');
  t.match(container.textContent, /Request a run/);
});
