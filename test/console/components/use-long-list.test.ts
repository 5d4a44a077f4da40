/** Long lists: what a screen shows comes first, and nothing is left out. */
import { createElement, type ReactNode } from 'react';
import t from 'tap';
import { useLongList } from '../../../src/console/components/use-long-list.ts';
import { eventually } from '../../eventually.ts';
import { renderComponent } from '../render-component.ts';
import { replaceGlobals } from '../replace-globals.ts';

const items = Array.from({ length: 205 }, (_, index) => `RT-${index}`);

t.test('the first screen is rendered before the whole list', async (t) => {
  const lengths: number[] = [];
  function List(): ReactNode {
    const listed = useLongList(items);
    lengths.push(listed.length);
    return listed.map((item) => createElement('p', { key: item }, item));
  }
  const { container } = await renderComponent(t, createElement(List), async (window) => {
    Object.defineProperty(window, 'innerHeight', { value: 590 });
    for (const name of ['requestAnimationFrame', 'cancelAnimationFrame'] as const)
      replaceGlobals(t, { [name]: window[name].bind(window) });
    return createElement(List);
  });
  t.equal(lengths[0], 20, 'as many rows as the window can show');
  // What a timer does later is outside of `act`.
  replaceGlobals(t, { IS_REACT_ACT_ENVIRONMENT: false });
  await eventually(() => container.querySelectorAll('p').length === items.length, { description: 'all rows' });
  t.same([...new Set(lengths)], [20, 40, 80, 160, 205], 'in steps');
  t.same(
    [...container.querySelectorAll('p')].map((element) => element.textContent),
    items,
  );
});
