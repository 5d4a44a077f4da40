import { act, useState } from 'react';
import t, { type Test } from 'tap';
import { renderConsole } from '../render-console.ts';

const ids = ['a', 'b', 'c', 'd'];

/** A list of four rows, of which `filter` can hide some, with what is selected in the text of the page. */
async function renderList(t: Test) {
  let setDisplayed: (ids: readonly string[]) => void = () => {};
  const page = await renderConsole(t, '/', {}, async () => {
    const { useSelection } = await import('../../../src/console/bulk/use-selection.ts');
    const List = () => {
      const [displayed, change] = useState<readonly string[]>(ids);
      setDisplayed = change;
      const selection = useSelection(displayed);
      return (
        <>
          <p id="selected">{[...selection.ids].join(' ')}</p>
          {displayed.map((id) => (
            <div key={id} data-select={id}>
              <a href={`#${id}`} id={id} data-row>
                {id}
              </a>
            </div>
          ))}
          <section className="bulk-bar">
            <button type="button" disabled>
              Unavailable
            </button>
            <button type="button" onClick={selection.toggleAll}>
              All
            </button>
            <button type="button" onClick={() => selection.deselect(['b'])}>
              Not b
            </button>
          </section>
        </>
      );
    };
    return <List />;
  });
  return {
    ...page,
    selected: () => page.container.querySelector('#selected')?.textContent,
    focus: (id: string) => document.getElementById(id)?.focus(),
    display: (rows: readonly string[]) => act(async () => setDisplayed(rows)),
  };
}

t.test('x selects the row that has the focus, and again takes it out', async (t) => {
  const { press, selected } = await renderList(t);
  await press('x');
  t.equal(selected(), '', 'no row has the focus');
  await press('j');
  await press('x');
  t.equal(selected(), 'a');
  await press('x');
  t.equal(selected(), '');
});

t.test('shift x selects all rows from the one before, in both directions', async (t) => {
  const { press, selected, focus } = await renderList(t);
  focus('d');
  await press('x');
  focus('b');
  await press('X');
  t.equal(selected(), 'b c d');
  focus('a');
  await press('X');
  t.equal(selected(), 'a b c d', 'from the last row that was selected');
});

t.test('a goes to the first action that is available, and Escape clears', async (t) => {
  const { press, selected, focus } = await renderList(t);
  focus('b');
  await press('a');
  t.equal(document.activeElement?.id, 'b', 'without a selection there are no actions');
  await press('x');
  await press('a');
  t.equal(document.activeElement?.textContent, 'All');
  await press('Escape');
  t.equal(selected(), '');
});

t.test('only what is displayed is selected, and comes back with its row', async (t) => {
  const { click, button, selected, display } = await renderList(t);
  await click(button('All'));
  t.equal(selected(), 'a b c d');
  await display(['c', 'a']);
  t.equal(selected(), 'c a', 'in the order of the list');
  await click(button('All'));
  t.equal(selected(), '', 'all of those that are displayed were selected');
  await display(ids);
  t.equal(selected(), '', 'and nothing that the reader did not see is left');
});

t.test('rows that were dealt with are taken out of the selection', async (t) => {
  const { click, button, selected } = await renderList(t);
  await click(button('All'));
  await click(button('Not b'));
  t.equal(selected(), 'a c d');
});
