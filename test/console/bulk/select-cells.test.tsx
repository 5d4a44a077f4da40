import t, { type Test } from 'tap';
import { renderConsole } from '../render-console.ts';

async function renderTable(t: Test) {
  const page = await renderConsole(t, '/', {}, async () => {
    const { SelectAllCell, SelectCell } = await import('../../../src/console/bulk/select-cells.tsx');
    const { useSelection } = await import('../../../src/console/bulk/use-selection.ts');
    const ids = ['a', 'b', 'c'];
    const Table = () => {
      const selection = useSelection(ids);
      return (
        <table>
          <thead>
            <tr>
              <SelectAllCell selection={selection} />
            </tr>
          </thead>
          <tbody>
            {ids.map((id) => (
              <tr key={id}>
                <SelectCell id={id} label={id} isSelected={selection.ids.has(id)} onToggle={selection.toggle} />
              </tr>
            ))}
          </tbody>
        </table>
      );
    };
    return <Table />;
  });
  const box = (label: string): HTMLInputElement => {
    const input = page.container.querySelector<HTMLInputElement>(`input[aria-label="${label}"]`);
    if (!input) throw new Error(`no check box ${label}`);
    return input;
  };
  const checked = () => ['a', 'b', 'c'].filter((id) => box(`Select ${id}`).checked).join('');
  return { ...page, box, checked };
}

t.test('the box above the list is partial while some are selected, and selects all, then none', async (t) => {
  const { box, click, checked } = await renderTable(t);
  const all = box('Select all 3 shown');
  t.same([all.checked, all.indeterminate], [false, false]);
  await click(box('Select b'));
  t.same([all.checked, all.indeterminate, checked()], [false, true, 'b']);
  await click(all);
  t.same([all.checked, all.indeterminate, checked()], [true, false, 'abc']);
  await click(all);
  t.same([all.checked, all.indeterminate, checked()], [false, false, '']);
});

t.test('a click with shift selects the rows in between', async (t) => {
  const { box, click, checked, clickWith } = await renderTable(t);
  await click(box('Select a'));
  await clickWith(box('Select c'), { shiftKey: true });
  t.equal(checked(), 'abc');
});
