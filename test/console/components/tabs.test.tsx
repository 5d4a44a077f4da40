import { act, useState } from 'react';
import t from 'tap';
import { Tabs } from '../../../src/console/components/tabs.tsx';
import { renderComponent } from '../render-component.ts';

const tabs = [
  { name: 'request', label: 'Request' },
  { name: 'log', label: 'Log', badge: '3' },
  { name: 'timing', label: 'Timing' },
] as const;
type Name = (typeof tabs)[number]['name'];

function Page() {
  const [selected, select] = useState<Name>('request');
  return (
    <Tabs label="Evidence" tabs={tabs} selected={selected} onSelect={select}>
      <p>panel of {selected}</p>
    </Tabs>
  );
}

t.test('arrow keys change the tab, round the ends, and the focus goes with it', async (t) => {
  const { container } = await renderComponent(t, <Page />);
  const press = (key: string) =>
    act(async () => document.activeElement?.dispatchEvent(new window.KeyboardEvent('keydown', { key, bubbles: true })));
  const selected = () => container.querySelector('[aria-selected=true]');
  container.querySelector<HTMLElement>('[role=tab]')?.focus();
  await press('ArrowRight');
  t.match(selected()?.textContent, 'Log3');
  t.equal(document.activeElement, selected());
  await press('ArrowLeft');
  await press('ArrowLeft');
  t.equal(selected()?.textContent, 'Timing', 'before the first comes the last');
  await press('ArrowRight');
  t.equal(selected()?.textContent, 'Request');
  await press('ArrowDown');
  t.equal(selected()?.textContent, 'Request', 'other keys do nothing');
});

t.test('only the selected tab is reached by Tab, and the panel names it', async (t) => {
  const { container, click } = await renderComponent(t, <Page />);
  const all = [...container.querySelectorAll<HTMLElement>('[role=tab]')];
  t.same(
    all.map(({ tabIndex }) => tabIndex),
    [0, -1, -1],
  );
  if (all[1]) await click(all[1]);
  t.same(
    all.map(({ tabIndex }) => tabIndex),
    [-1, 0, -1],
  );
  const panel = container.querySelector('[role=tabpanel]');
  t.equal(panel?.getAttribute('aria-labelledby'), all[1]?.id);
  t.ok(all.every((tab) => tab.getAttribute('aria-controls') === panel?.id));
  t.equal(panel?.textContent, 'panel of log');
});
