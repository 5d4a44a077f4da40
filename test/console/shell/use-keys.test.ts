import { createElement, Fragment } from 'react';
import t from 'tap';
import { renderConsole } from '../render-console.ts';

t.test(
  'two components with keys move one row at a time, and `/` without a search field calls the fallback',
  async (t) => {
    let fallbacks = 0;
    const page = await renderConsole(t, '/', {}, async () => {
      const { useKeys } = await import('../../../src/console/shell/use-keys.ts');
      const actions = {};
      const onNoSearch = () => {
        fallbacks += 1;
      };
      const Inner = () => {
        useKeys(actions);
        return createElement(
          Fragment,
          null,
          ...['a', 'b', 'c'].map((id) => createElement('a', { key: id, id, href: `#${id}`, 'data-row': true }, id)),
        );
      };
      const Outer = () => {
        useKeys(actions, onNoSearch);
        return createElement(Inner);
      };
      return createElement(Outer);
    });
    await page.press('j');
    t.equal(document.activeElement?.id, 'a');
    await page.press('j');
    t.equal(document.activeElement?.id, 'b', 'no row is skipped');
    await page.press('k');
    t.equal(document.activeElement?.id, 'a');
    await page.press('/');
    t.equal(fallbacks, 1);
  },
);
