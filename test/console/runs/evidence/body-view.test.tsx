import t from 'tap';
import { BodyView } from '../../../../src/console/runs/evidence/body-view.tsx';
import type { ReportCheck } from '../../../../src/report/report.ts';
import { renderComponent } from '../../render-component.ts';

const failing: ReportCheck = {
  text: 'body has data[2999].name equals document 3000',
  kind: 'equals',
  line: 19,
  column: 3,
  counted: true,
  outcome: 'failed',
  looks_at: 'response',
  expected: 'document 3000',
  actual: '"document 2999"',
  pointer: '/data/2999/name',
};

t.test('a failing value behind the stored part of a large body is shown', async (t) => {
  const items = Array.from({ length: 3000 }, (_, index) => ({
    id: index,
    name: `document ${index}`,
    note: 'x'.repeat(60),
  }));
  const body = JSON.stringify({ data: items });
  t.ok(body.length > 300_000);
  const selections: number[] = [];
  const view = await renderComponent(
    t,
    <BodyView
      text={body.slice(0, 65_536)}
      truncated
      checks={[failing, { ...failing, line: 20, pointer: '/data/0/name', outcome: 'passed' }]}
      selected={19}
      selectedByUser={false}
      onSelectCheck={(line) => selections.push(line)}
    />,
  );
  const values = view.container.querySelector('.unseen-values');
  t.match(values?.textContent, /\/data\/2999\/name.*"document 2999".*line 19 expects document 3000/s);
  t.equal(values?.querySelectorAll('li').length, 1, 'the value of the other check stands in the body');
  await view.click(view.button('← line 19 expects document 3000'));
  t.same(selections, [19]);
});
