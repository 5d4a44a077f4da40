import { act, useLayoutEffect, useState } from 'react';
import t from 'tap';
import { Dialog } from '../../../src/console/components/dialog.tsx';
import { OneTimeDialog } from '../../../src/console/components/one-time-dialog.tsx';
import { renderComponent } from '../render-component.ts';

t.test('a dialog gives the focus to its first field, and back to what opened it', async (t) => {
  const Page = () => {
    const [isOpen, setOpen] = useState(false);
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          Open
        </button>
        {isOpen ? (
          <Dialog title="Rename" onClose={() => setOpen(false)}>
            <input id="other" />
            <input id="name" data-first />
          </Dialog>
        ) : null}
      </>
    );
  };
  const { container, button, click } = await renderComponent(t, <Page />);
  button('Open').focus();
  await click(button('Open'));
  const dialog = container.querySelector('dialog');
  t.equal(dialog?.open, true);
  t.equal(document.activeElement?.id, 'name');
  t.equal(document.getElementById(dialog?.getAttribute('aria-labelledby') ?? '')?.textContent, 'Rename');
  await act(async () => dialog?.dispatchEvent(new Event('cancel', { cancelable: true })));
  t.equal(container.querySelector('dialog'), null, 'Escape closes it');
  t.equal(document.activeElement, button('Open'));
});

t.test('the focus is back before a dialog that closes by itself leaves the page', async (t) => {
  let focused: Element | null = null;
  let close = (): void => {};
  const Content = () => {
    useLayoutEffect(() => () => {
      focused = document.activeElement;
    });
    return <input data-first />;
  };
  const Page = () => {
    const [isOpen, setOpen] = useState(false);
    close = () => setOpen(false);
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          Open
        </button>
        {isOpen ? (
          <Dialog title="Rename" onClose={() => t.fail('it is closed already')}>
            <Content />
          </Dialog>
        ) : null}
      </>
    );
  };
  const { button, click } = await renderComponent(t, <Page />);
  button('Open').focus();
  await click(button('Open'));
  await act(async () => close());
  t.equal(focused, button('Open'));
});

t.test('a secret stays on the page until its reader says that it was copied', async (t) => {
  let closings = 0;
  const onClose = () => {
    closings += 1;
  };
  const { container, button, click } = await renderComponent(
    t,
    <OneTimeDialog title="Codes" pronoun="them" onClose={onClose}>
      <code>123</code>
    </OneTimeDialog>,
  );
  const dialog = container.querySelector('dialog');
  await act(async () => dialog?.dispatchEvent(new Event('close')));
  t.equal(closings, 0);
  t.equal(button('Done').disabled, true);
  t.match(container.querySelector('label')?.textContent, /I have copied them/);
  const box = container.querySelector<HTMLInputElement>('input[type=checkbox]');
  if (box) await click(box);
  t.ok(container.querySelector('[aria-label=Close]'), 'now it can be closed in every way');
  if (box) await click(box);
  t.equal(button('Done').disabled, true, 'a hasty click can be taken back');
  if (box) await click(box);
  await click(button('Done'));
  t.equal(closings, 1);
});

t.test('what can be shown again is closed at once', async (t) => {
  const { container, button } = await renderComponent(
    t,
    <OneTimeDialog title="Token" needsConfirmation={false} onClose={() => {}}>
      x
    </OneTimeDialog>,
  );
  t.equal(button('Done').disabled, false);
  t.equal(container.querySelector('input'), null);
});
