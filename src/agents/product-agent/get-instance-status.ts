import { Type } from '@sinclair/typebox';
import { outcomeLabels } from '../../run/state.ts';
import { readInstanceStatus } from '../status/instance-status.ts';
import { joinLines } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

const dayMs = 86_400_000;

export const getInstanceStatusTool = createTool({
  name: 'product__get_instance_status',
  description:
    'Whether the instance is registered and healthy: executor, version, target, queue, log, database, and results of the last 24 hours. Start here; then product__get_error_summary.',
  input: Type.Object({}),
  annotations: readOnlyAnnotations,
  async handle(_input, ports, context) {
    const { text, data } = await readInstanceStatus(ports, context);
    if (data.executor_status === null) return { text, data: { ...data, last_day: null } };
    const since = new Date(ports.clock.nowMs() - dayMs).toISOString();
    const { totals } = await ports.control.statistics.get(context.instance, since, { signal: context.signal });
    const { passed, failed, not_judged, cancelled } = totals;
    const lastDayText = `Last 24 hours: ${passed} passed, ${failed} failed, ${not_judged} ${outcomeLabels.broken}, ${cancelled} cancelled`;
    const outdated =
      data.recommended_version !== data.version &&
      `The executor is ${String(data.version)}; the control plane is ${String(data.recommended_version)} and recommends the same.`;
    return { text: joinLines(text, lastDayText, outdated), data: { ...data, last_day: totals } };
  },
});
