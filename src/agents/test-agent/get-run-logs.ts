import { Type } from '@sinclair/typebox';
import { OffsetInput, RunIdInput } from '../input.ts';
import { runLogs } from '../runs/run-logs.ts';
import { readOnly, tool } from '../tool.ts';

/** The target's lines of a run. */
export const getRunLogs = tool({
  name: 'author__get_run_logs',
  description: 'Log lines the target wrote for a run, found by its correlation id; why, when there are none.',
  input: Type.Object({ run_id: RunIdInput, errors_only: Type.Optional(Type.Boolean()), offset: OffsetInput }),
  annotations: readOnly,
  handle: async (input, ports, context) => runLogs(ports, context, input),
});
