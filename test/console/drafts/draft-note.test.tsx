import t from 'tap';
import { DraftNote } from '../../../src/console/drafts/draft-note.tsx';
import { renderComponent } from '../render-component.ts';

t.test('a restored draft says when it was edited, and can be discarded', async (t) => {
  let discards = 0;
  const onDiscard = () => {
    discards += 1;
  };
  // In the middle of its minute: the page's time may be some milliseconds older.
  const restoredAtMs = Date.now() - 5.5 * 60_000;
  const { container, button, click } = await renderComponent(
    t,
    <DraftNote restoredAtMs={restoredAtMs} isStored onDiscard={onDiscard} />,
  );
  t.match(container.querySelector('[role=status]')?.textContent, /restored, last edited 5 min ago\./);
  await click(button('Discard draft'));
  t.equal(discards, 1);
});

t.test(
  'changes that cannot be stored are an alert, whatever was restored; otherwise there is nothing to say',
  async (t) => {
    const denied = await renderComponent(t, <DraftNote restoredAtMs={1} isStored={false} onDiscard={() => {}} />);
    t.match(denied.container.querySelector('[role=alert]')?.textContent, /Save them before you leave/);
    t.equal(denied.container.querySelector('button'), null);
    const quiet = await renderComponent(t, <DraftNote restoredAtMs={undefined} isStored onDiscard={() => {}} />);
    t.equal(quiet.container.textContent, '');
  },
);
