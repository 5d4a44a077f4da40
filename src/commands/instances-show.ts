import type { Instance } from '../contract/api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { printableLine } from '../report/printable.ts';
import { agoText } from '../terminal/ago.ts';
import { type Paint, paintFor } from '../terminal/paint.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { statusStyle } from './instances.ts';

function textOf(instance: Instance, nowMs: number, paint: Paint): string {
  const { executor_version: version, recommended_version: recommended, last_seen_at: seen } = instance;
  const facts: [name: string, value: string, style?: (text: string) => string][] = [
    ['executor', instance.executor_status, statusStyle(instance, paint)],
    ['last seen', seen === null ? 'never' : agoText(seen, nowMs)],
    [
      'version',
      version === null
        ? 'not known yet'
        : `${version}${version === recommended ? '' : `, recommended is ${recommended}`}`,
    ],
    ['target', instance.target ?? 'not known yet'],
    ['tier', instance.tier],
    ['project', instance.executor_project],
    ['port', instance.executor_port === null ? 'none on this machine' : String(instance.executor_port)],
    ['running', instance.running ?? 'nothing'],
    ['queued', String(instance.queued)],
    ['created', instance.created_at],
  ];
  const lines = facts.map(([name, value, style]) => {
    const shown = printableLine(value);
    return `  ${name.padEnd(10)} ${style ? style(shown) : shown}
`;
  });
  return `${paint.strong(instance.instance_id)}\n${lines.join('')}`;
}

/** `vp instances show`. */
export const instancesShowCommand = command({
  name: 'instances show',
  summary: 'tell everything about an instance',
  positionals: [{ name: 'id', describe: 'instance id', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp instances show shop', 'its executor, target and queue']],
  async run({ flags, words: [id = ''], json, environment }) {
    const { streams, variables, clock } = environment;
    const { instances } = await connect(flags, environment);
    const instance = await instances.get(id);
    const paint = paintFor(streams.stdout, variables);
    streams.stdout.write(json ? `${JSON.stringify({ instance }, null, 2)}\n` : textOf(instance, clock.nowMs(), paint));
    return exitCode.done;
  },
});
