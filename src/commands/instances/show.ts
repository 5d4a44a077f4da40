import { command } from '../../command-line/command.ts';
import type { Instance } from '../../contract/api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceArgument } from '../control-plane/control-plane-flags.ts';
import { executorStatusStyle } from './list.ts';

function formatInstance(instance: Instance, nowMs: number, paint: TerminalPaint): string {
  const { executor_version: version, recommended_version: recommended, last_seen_at: lastSeenAt } = instance;
  const facts: [name: string, value: string, style?: (text: string) => string][] = [
    ['executor', instance.executor_status, executorStatusStyle(instance, paint)],
    ['last seen', lastSeenAt === null ? 'never' : formatRelativeTime(lastSeenAt, nowMs)],
    [
      'version',
      version === null
        ? 'unknown'
        : `${version}${version === recommended ? '' : `; recommended is ${recommended}, the version of the control plane`}`,
    ],
    ['target', instance.target ?? 'unknown'],
    ['tier', instance.tier],
    ['project', instance.executor_project],
    ['port', instance.executor_port === null ? 'none on this machine' : String(instance.executor_port)],
    ['running', instance.running ?? 'nothing'],
    ['queued', String(instance.queued)],
    ['created', instance.created_at],
  ];
  const lines = facts.map(([name, value, style]) => {
    const printable = escapeUnsafeLine(value);
    return `  ${name.padEnd(10)} ${style ? style(printable) : printable}
`;
  });
  return `${paint.strong(instance.instance_id)}\n${lines.join('')}`;
}

/** `vp instances show`. */
export const instancesShowCommand = command({
  name: 'instances show',
  summary: 'show all details of an instance',
  positionals: [{ ...instanceArgument, name: 'id' }],
  flags: controlPlaneFlags,
  examples: [['vp instances show shop', 'executor, target and queue of the instance']],
  async run({ flags, args: [id = ''], json, environment }) {
    const { streams, variables, clock } = environment;
    const { instances } = await openClient(flags, environment);
    const instance = await instances.get(id);
    const paint = paintFor(streams.stdout, variables);
    streams.stdout.write(
      json ? `${JSON.stringify({ instance }, null, 2)}\n` : formatInstance(instance, clock.nowMs(), paint),
    );
    return exitCode.done;
  },
});
