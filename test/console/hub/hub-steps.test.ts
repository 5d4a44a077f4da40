import t from 'tap';
import { isAnsweredToolCall } from '../../../src/console/hub/hub-steps.tsx';

t.test('the first call of a hub is one that was answered', async (t) => {
  for (const outcome of ['ok', 'tool_error'] as const)
    t.ok(isAnsweredToolCall({ method: 'tools/call', outcome }), outcome);
  for (const outcome of ['denied', 'failed', 'started', 'unknown'] as const)
    t.notOk(isAnsweredToolCall({ method: 'tools/call', outcome }), outcome);
  t.notOk(isAnsweredToolCall({ method: 'tools/list', outcome: 'ok' }));
});
