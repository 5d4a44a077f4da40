import type { ScenarioEntry } from '../contract/api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { agoText } from '../terminal/ago.ts';
import { paintFor } from '../terminal/paint.ts';
import { type Column, table } from '../terminal/table.ts';
import { command } from './command.ts';
import { chosenInstance, connect } from './control-plane.ts';
import { catalogueFlags } from './scenarios/catalogue-flags.ts';

function columnsOf(nowMs: number): Column<ScenarioEntry>[] {
  return [
    { title: 'ID', of: ({ scenario_id }) => scenario_id, least: 12 },
    { title: 'TITLE', of: ({ title }) => title, least: 10 },
    { title: 'TAGS', of: ({ tags }) => tags.join(', '), least: 6, spare: true },
    { title: 'REVISION', of: ({ revision }) => String(revision), alignRight: true, spare: true },
    { title: 'WRITTEN', of: ({ updated_at }) => agoText(updated_at, nowMs), spare: true },
    { title: 'BY', of: ({ updated_by }) => updated_by, least: 5, spare: true },
  ];
}

/** `vp scenarios list`. */
export const scenariosListCommand = command({
  name: 'scenarios list',
  summary: 'list the scenarios of an instance’s catalogue',
  positionals: [],
  flags: {
    tag: { type: 'strings', placeholder: '<tag>', describe: 'only those that have this tag, or another one named' },
    ...catalogueFlags,
  },
  examples: [['vp scenarios list --tag smoke', 'those with a tag']],
  async run({ flags, json, environment }) {
    const { streams, variables, clock } = environment;
    const client = await connect(flags, environment);
    const { instance_id: instance } = await chosenInstance(client, flags.instance);
    const all = await client.scenarios.all(instance);
    const wanted = ({ tags }: ScenarioEntry): boolean => tags.some((tag) => flags.tag.includes(tag));
    const scenarios = flags.tag.length === 0 ? all : all.filter(wanted);
    const paint = paintFor(streams.stdout, variables);
    const text = table(scenarios, columnsOf(clock.nowMs()), streams.stdout, paint);
    const none = `no scenarios in the catalogue of ${instance}; \`vp scenarios push <folder>\` sends some\n`;
    streams.stdout.write(json ? `${JSON.stringify({ instance, scenarios }, null, 2)}\n` : text || none);
    return exitCode.done;
  },
});
