import { command } from '../../command-line/command.ts';
import type { Instance } from '../../contract/api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';

export function executorStatusStyle(
  { executor_status: status }: Instance,
  paint: TerminalPaint,
): (text: string) => string {
  if (status === 'REGISTERED') return paint.passed;
  return status === 'AWAY' ? paint.failed : paint.faint;
}

function buildColumns(nowMs: number, paint: TerminalPaint): TableColumn<Instance>[] {
  const formatLastSeen = ({ last_seen_at }: Instance): string =>
    last_seen_at === null ? 'never' : formatRelativeTime(last_seen_at, nowMs);
  return [
    { title: 'INSTANCE', text: ({ instance_id }) => instance_id },
    {
      title: 'EXECUTOR',
      text: ({ executor_status }) => executor_status,
      style: (instance) => executorStatusStyle(instance, paint),
    },
    { title: 'QUEUED', text: ({ queued }) => String(queued), alignRight: true },
    { title: 'RUNNING', text: ({ running }) => running ?? '', minWidth: 7, optional: true },
    { title: 'TARGET', text: ({ target }) => target ?? '', minWidth: 10, optional: true },
    { title: 'VERSION', text: ({ executor_version }) => executor_version ?? '', optional: true },
    { title: 'LAST SEEN', text: formatLastSeen, optional: true },
  ];
}

/** `vp instances`. */
export const instancesCommand = command({
  name: 'instances',
  summary: 'list the instances',
  positionals: [],
  flags: controlPlaneFlags,
  examples: [['vp instances', 'list all']],
  notes: `EXECUTOR: REGISTERED is connected, AWAY was connected before, NEVER_SEEN never was.
\`vp instances create|show|remove|rotate-key <id>\` manages instances.`,
  async run({ flags, json, environment, catalogue }) {
    const { streams, variables, clock } = environment;
    const { instances } = await openClient(flags, environment);
    const all = await instances.list();
    const paint = paintFor(streams.stdout, variables);
    const text = formatTable(all, buildColumns(clock.nowMs(), paint), streams.stdout, paint);
    const emptyText = 'no instance is registered; register one with `vp instances create <id>`\n';
    streams.stdout.write(
      json
        ? `${JSON.stringify({ instances: all }, null, 2)}\n`
        : text || (await completeCommands(emptyText, { environment, catalogue })),
    );
    return exitCode.done;
  },
});
