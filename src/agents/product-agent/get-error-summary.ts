import { Type } from '@sinclair/typebox';
import { errorSummary } from '../runs/error-summary.ts';
import { readOnly, tool } from '../tool.ts';

/** What went wrong lately, grouped. */
export const getErrorSummary = tool({
  name: 'product__get_error_summary',
  description:
    'What went wrong in the last since_h hours (24): failures by kind and scenario, error lines of the log grouped, the slowest runs. Then product__get_run_report.',
  input: Type.Object({ since_h: Type.Optional(Type.Integer({ minimum: 1, maximum: 720 })) }),
  annotations: readOnly,
  handle: async ({ since_h = 24 }, ports, context) => errorSummary(ports, context, since_h),
});
