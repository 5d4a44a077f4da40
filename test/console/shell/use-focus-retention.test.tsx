import { act, useState } from 'react';
import t from 'tap';
import { Dialog } from '../../../src/console/components/dialog.tsx';
import { useFocusRetention } from '../../../src/console/shell/use-focus-retention.ts';
import { eventually } from '../../eventually.ts';
import { renderComponent } from '../render-component.ts';

let show = (_dialog: boolean, _first: boolean): void => {};

function Page() {
  useFocusRetention();
  const [[hasDialog, hasFirst], setState] = useState([false, true]);
  show = (dialog, first) => setState([dialog, first]);
  return (
    <main>
      <a href="#page">Page</a>
      {hasDialog ? (
        <Dialog title="Rows" onClose={() => {}}>
          <p>{hasFirst ? <button type="button">First</button> : null}</p>
          <button type="button">Second</button>
        </Dialog>
      ) : null}
    </main>
  );
}

const waitForFocus = (text: string): Promise<unknown> =>
  eventually(async () => document.activeElement?.textContent, { until: (focused) => focused === text });

t.test('a control that disappears from a dialog leaves the focus in it', async (t) => {
  const { container, button } = await renderComponent(t, <Page />);
  container.querySelector('a')?.focus();
  await act(async () => show(true, true));
  button('First').focus();
  await act(async () => show(true, false));
  await waitForFocus('Second');
  await act(async () => show(false, false));
  await waitForFocus('Page');
});

t.test('a key that is still held down does nothing to what gets the focus', async (t) => {
  const { button } = await renderComponent(t, <Page />);
  await act(async () => show(true, true));
  button('First').focus();
  await act(async () => show(true, false));
  await waitForFocus('Second');
  const isPrevented = (type: string, repeat: boolean): boolean => {
    const event = new window.KeyboardEvent(type, { key: 'Enter', repeat, bubbles: true, cancelable: true });
    return !button('Second').dispatchEvent(event);
  };
  t.equal(isPrevented('keydown', true), true);
  isPrevented('keyup', false);
  t.equal(isPrevented('keydown', false), false, 'a new key is meant for it');
  t.equal(isPrevented('keydown', true), false);
});
