import type { Instance } from '../contract/api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { agoText } from '../terminal/ago.ts';
import { type Paint, paintFor } from '../terminal/paint.ts';
import { type Column, table } from '../terminal/table.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

/** The colour of an executor's status. */
export function statusStyle({ executor_status: status }: Instance, paint: Paint): (text: string) => string {
  if (status === 'REGISTERED') return paint.passed;
  return status === 'AWAY' ? paint.failed : paint.faint;
}

function columnsOf(nowMs: number, paint: Paint): Column<Instance>[] {
  const seen = ({ last_seen_at }: Instance): string => (last_seen_at === null ? 'never' : agoText(last_seen_at, nowMs));
  return [
    { title: 'INSTANCE', of: ({ instance_id }) => instance_id },
    { title: 'EXECUTOR', of: ({ executor_status }) => executor_status, style: (one) => statusStyle(one, paint) },
    { title: 'QUEUED', of: ({ queued }) => String(queued), alignRight: true },
    { title: 'RUNNING', of: ({ running }) => running ?? '', least: 7, spare: true },
    { title: 'TARGET', of: ({ target }) => target ?? '', least: 10, spare: true },
    { title: 'VERSION', of: ({ executor_version }) => executor_version ?? '', spare: true },
    { title: 'LAST SEEN', of: seen, spare: true },
  ];
}

/** `vp instances`. */
export const instancesCommand = command({
  name: 'instances',
  summary: 'list the registered instances and how their executors are',
  positionals: [],
  flags: controlPlaneFlags,
  examples: [['vp instances', 'all of them']],
  notes: `EXECUTOR: REGISTERED calls in, AWAY has not for a while, NEVER_SEEN has not yet.
\`vp instances create|show|remove|rotate-key <id>\` does more.`,
  async run({ flags, json, environment }) {
    const { streams, variables, clock } = environment;
    const { instances } = await connect(flags, environment);
    const all = await instances.list();
    const paint = paintFor(streams.stdout, variables);
    const text = table(all, columnsOf(clock.nowMs(), paint), streams.stdout, paint);
    const none = 'no instance is registered; `vp instances create <id>` registers one\n';
    streams.stdout.write(json ? `${JSON.stringify({ instances: all }, null, 2)}\n` : text || none);
    return exitCode.done;
  },
});
