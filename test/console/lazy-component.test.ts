/** Parts of pages whose scripts are loaded later: what is shown until then, and that a loaded one is there at once. */
import { act, createElement, type ReactNode } from 'react';
import t from 'tap';
import { lazyComponent } from '../../src/console/lazy-component.ts';
import { renderComponent } from './render-component.ts';

function Greeting({ name }: { name: string }): ReactNode {
  return `Hello ${name}`;
}

t.test('the fallback is shown until the script is there', async (t) => {
  const { promise, resolve } = Promise.withResolvers<{ default: typeof Greeting }>();
  const Lazy = lazyComponent(() => promise, 'Loading');
  const { container } = await renderComponent(t, createElement(Lazy, { name: 'Ana' }));
  t.equal(container.textContent, 'Loading');
  await act(async () => resolve({ default: Greeting }));
  t.equal(container.textContent, 'Hello Ana');
});

t.test('what was loaded before is shown without its fallback', async (t) => {
  let loads = 0;
  const Lazy = lazyComponent(async () => {
    loads += 1;
    return { default: Greeting };
  }, 'Loading');
  await Lazy.preload();
  await Lazy.preload();
  const texts: string[] = [];
  function Watch(): ReactNode {
    return createElement('p', { ref: (element: HTMLElement | null) => void texts.push(element?.textContent ?? '') }, [
      createElement(Lazy, { key: 'lazy', name: 'Ana' }),
    ]);
  }
  await renderComponent(t, createElement(Watch));
  t.equal(texts[0], 'Hello Ana');
  t.equal(loads, 1);
});

t.test('a script that was not loaded in time is asked for again when it is needed', async (t) => {
  let loads = 0;
  const Lazy = lazyComponent(async () => {
    loads += 1;
    if (loads === 1) throw new TypeError('Failed to fetch dynamically imported module');
    return { default: Greeting };
  });
  await Lazy.preload();
  const { container } = await renderComponent(t, createElement(Lazy, { name: 'Ana' }));
  t.equal(container.textContent, 'Hello Ana');
});
