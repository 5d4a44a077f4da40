import { Type } from '@sinclair/typebox';
import { readInstanceStatus } from '../status/instance-status.ts';
import { assertOwnInstance, joinLines } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

export const getExecutorStatusTool = createTool({
  name: 'author__get_executor_status',
  description:
    'Whether the executor is healthy; target, queue, placeholders, log and database. Start here, then author__get_guide.',
  input: Type.Object({ instance: Type.Optional(Type.String()) }),
  annotations: readOnlyAnnotations,
  async handle({ instance }, ports, context) {
    assertOwnInstance(instance, context);
    const { text, data } = await readInstanceStatus(ports, context);
    const { hasBearer, names } = ports.project;
    const placeholders = ['INGESTION_URL', 'correlation_id', ...names.variables];
    const statusText = joinLines(
      text,
      `Requests carry ${hasBearer ? 'the config’s bearer token unless the scenario sets `Authorization:`' : 'no token'}.`,
      `Placeholders: ${placeholders.map((name) => `\${${name}}`).join(', ')}`,
    );
    return { text: statusText, data: { ...data, placeholders, sends_bearer: hasBearer } };
  },
});
