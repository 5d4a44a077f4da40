import t from 'tap';
import { DiffView } from '../../../src/console/components/diff-view.tsx';
import { DefinitionLines } from '../../../src/console/hub/tools/tool-approval.tsx';
import { renderComponent } from '../render-component.ts';

const readLines = (container: Element) =>
  [...container.querySelectorAll('.diff-line')].map((line) => [
    line.querySelector('.diff-sign')?.textContent,
    line.querySelector('.line-number')?.textContent,
    line.querySelector('code')?.textContent,
  ]);

t.test('changed lines have a sign and the number of their own text', async (t) => {
  const { container } = await renderComponent(t, <DiffView label="Changes" before={'a\nb\nc'} after={'a\nx\ny\nc'} />);
  t.same(readLines(container), [
    [' ', '1', 'a'],
    ['−', '2', 'b'],
    ['+', '2', 'x'],
    ['+', '3', 'y'],
    [' ', '4', 'c'],
  ]);
  t.equal(container.querySelector('section')?.getAttribute('aria-label'), 'Changes');
});

t.test('lines far from a change are left out, and the gap is shown', async (t) => {
  const before = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
  const after = before.with(29, 'changed');
  const { container } = await renderComponent(
    t,
    <DiffView label="Changes" before={before.join('\n')} after={after.join('\n')} />,
  );
  t.equal(container.querySelectorAll('.diff-gap').length, 2);
  const lines = readLines(container);
  t.ok(lines.length < 20, `${lines.length} lines`);
  t.same(
    lines.filter(([sign]) => sign !== ' '),
    [
      ['−', '30', 'line 30'],
      ['+', '30', 'changed'],
    ],
  );
});

t.test('equal texts have no lines', async (t) => {
  const { container } = await renderComponent(t, <DiffView label="Changes" before="a" after="a" />);
  t.equal(container.textContent, 'No differences.');
});

t.test('text of a definition is never markup, and its invisible characters stand out', async (t) => {
  const lines = ['- Reads files', '+ Reads files⟦U+200B⟧ <img src=x>', '  of ⟦12×U+0020⟧ folders'];
  const { container } = await renderComponent(t, <DefinitionLines label="Changes in read" lines={lines} />);
  t.same(readLines(container), [
    ['−', '1', 'Reads files'],
    ['+', '2', 'Reads files⟦U+200B⟧ <img src=x>'],
    [' ', '3', 'of ⟦12×U+0020⟧ folders'],
  ]);
  t.same(
    [...container.querySelectorAll('mark')].map(({ textContent }) => textContent),
    ['⟦U+200B⟧', '⟦12×U+0020⟧'],
  );
  t.equal(container.querySelector('img'), null);
});
