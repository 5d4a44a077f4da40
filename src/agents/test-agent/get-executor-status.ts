import { Type } from '@sinclair/typebox';
import { linesOf, requireOwn } from '../answer/words.ts';
import { instanceStatus } from '../instance-status.ts';
import { readOnly, tool } from '../tool.ts';

/** Whether runs can be requested now, and with what. */
export const getExecutorStatus = tool({
  name: 'author__get_executor_status',
  description:
    'Is the executor healthy; target, queue, placeholders scenarios may use, log and database. Start here, then author__get_guide.',
  input: Type.Object({ instance: Type.Optional(Type.String()) }),
  annotations: readOnly,
  async handle({ instance }, ports, context) {
    requireOwn(instance, context);
    const { text, data } = await instanceStatus(ports, context);
    const { hasBearer, names } = ports.project;
    const placeholders = ['INGESTION_URL', 'correlation_id', ...names.variables];
    const told = linesOf(
      text,
      `Requests carry ${hasBearer ? 'the config’s bearer token unless the scenario writes `Authorization:`' : 'no token of the config'}.`,
      `Placeholders: ${placeholders.map((name) => `\${${name}}`).join(', ')}`,
    );
    return { text: told, data: { ...data, placeholders, sends_bearer: hasBearer } };
  },
});
