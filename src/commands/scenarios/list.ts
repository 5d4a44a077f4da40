import { command } from '../../command-line/command.ts';
import type { ScenarioEntry } from '../../contract/api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { catalogueFlags } from './catalogue-flags.ts';

function buildColumns(nowMs: number): TableColumn<ScenarioEntry>[] {
  return [
    { title: 'ID', text: ({ scenario_id }) => scenario_id, minWidth: 12 },
    { title: 'TITLE', text: ({ title }) => title, minWidth: 10 },
    { title: 'TAGS', text: ({ tags }) => tags.join(', '), minWidth: 6, optional: true },
    { title: 'REVISION', text: ({ revision }) => String(revision), alignRight: true, optional: true },
    { title: 'WRITTEN', text: ({ updated_at }) => formatRelativeTime(updated_at, nowMs), optional: true },
    { title: 'BY', text: ({ updated_by }) => updated_by, minWidth: 5, optional: true },
  ];
}

/** `vp scenarios list`. */
export const scenariosListCommand = command({
  name: 'scenarios list',
  summary: 'list the scenarios of an instance’s catalogue',
  positionals: [],
  flags: {
    tag: { type: 'strings', placeholder: '<tag>', describe: 'only scenarios with this tag' },
    ...catalogueFlags,
  },
  examples: [['vp scenarios list --tag smoke', 'scenarios with a tag']],
  async run({ flags, json, environment }) {
    const { streams, variables, clock } = environment;
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const all = await client.scenarios.listAll(instance);
    const hasRequestedTag = ({ tags }: ScenarioEntry): boolean => tags.some((tag) => flags.tag.includes(tag));
    const scenarios = flags.tag.length === 0 ? all : all.filter(hasRequestedTag);
    const paint = paintFor(streams.stdout, variables);
    const text = formatTable(scenarios, buildColumns(clock.nowMs()), streams.stdout, paint);
    const emptyText = `no scenarios in the catalogue of ${instance}; \`vp scenarios push <folder>\` sends some\n`;
    streams.stdout.write(json ? `${JSON.stringify({ instance, scenarios }, null, 2)}\n` : text || emptyText);
    return exitCode.done;
  },
});
