import { Type } from '@sinclair/typebox';
import { readRunLogs } from '../runs/run-logs.ts';
import { OffsetInput, RunIdInput } from '../tools/input-schemas.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

export const getProductRunLogsTool = createTool({
  name: 'product__get_run_logs',
  description: 'Log lines the application wrote for a run, found by its correlation id, or why there are none.',
  input: Type.Object({ run_id: RunIdInput, errors_only: Type.Optional(Type.Boolean()), offset: OffsetInput }),
  annotations: readOnlyAnnotations,
  handle: async (input, ports, context) => readRunLogs(ports, context, input),
});
