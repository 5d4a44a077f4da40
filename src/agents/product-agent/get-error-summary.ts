import { Type } from '@sinclair/typebox';
import { summarizeErrors } from '../runs/error-summary.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

export const getErrorSummaryTool = createTool({
  name: 'product__get_error_summary',
  description:
    'Failures of the last since_h hours (default 24) by kind and scenario, grouped error lines of the log, and the slowest runs. Then product__get_run_report.',
  input: Type.Object({ since_h: Type.Optional(Type.Integer({ minimum: 1, maximum: 720 })) }),
  annotations: readOnlyAnnotations,
  handle: async ({ since_h = 24 }, ports, context) => summarizeErrors(ports, context, since_h),
});
