/** The columns of `vp scenarios list` on a narrow terminal. */
import t from 'tap';
import { buildCatalogueColumns } from '../../../src/commands/scenarios/list.ts';
import type { ScenarioEntry } from '../../../src/contract/api.ts';
import { paintFor } from '../../../src/terminal/paint.ts';
import { formatTable } from '../../../src/terminal/table.ts';

t.test('an ID of usual length is whole at 80 columns, because the next command needs it', async (t) => {
  const id = 'RT-POST-order-with-a-negative-quantity';
  const entry = {
    scenario_id: id,
    title: 'POST order with a negative quantity, which is refused',
    tags: ['http', 'smoke', 'orders'],
    owner: 'Documents team',
    revision: 3,
    updated_at: '2026-11-20T14:30:12.345Z',
    updated_by: 'Ana Lopes',
  } as ScenarioEntry;
  const sink = { write: () => {}, isTTY: true, columns: 80 };
  const columns = buildCatalogueColumns(Date.parse('2026-11-20T15:30:00.000Z'), true);
  const lines = formatTable([entry], columns, sink, paintFor(sink, { NO_COLOR: '1' }))
    .trimEnd()
    .split('\n');
  t.match(lines[1], new RegExp(`^${id}  POST `));
  t.ok(lines.every((line) => line.length <= 80));
});
