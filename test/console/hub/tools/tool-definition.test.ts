import t from 'tap';
import {
  describeEffect,
  isDestructiveTool,
  readToolDefinition,
} from '../../../../src/console/hub/tools/tool-definition.ts';

t.test('members of a definition that have the wrong type are dropped', async (t) => {
  t.same(
    readToolDefinition({ approved: { description: 'Tells.', annotations: { readOnlyHint: true } }, waiting: null }),
    {
      title: '',
      description: 'Tells.',
      annotations: { readOnlyHint: true },
    },
  );
  t.same(readToolDefinition({ approved: null, waiting: { title: 5, description: ['x'], annotations: 'no' } }), {
    title: '',
    description: '',
    annotations: {},
  });
});

t.test('the declared effect of a tool is described', async (t) => {
  t.equal(describeEffect({ readOnlyHint: true, destructiveHint: true }), 'read-only');
  t.equal(describeEffect({ destructiveHint: true }), 'may destroy data');
  t.equal(describeEffect({ readOnlyHint: false }), 'makes changes');
  t.equal(describeEffect(null), '');
  t.same(
    [isDestructiveTool({ destructiveHint: true }), isDestructiveTool({}), isDestructiveTool(null)],
    [true, false, false],
  );
});
