import { command } from '../../command-line/command.ts';
import type { SystemReplica, SystemState } from '../../contract/system-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';

function listFacts({ version, store }: SystemState): [name: string, value: string][] {
  const facts: [string, string][] = [['version', version]];
  if (store.engine === 'sqlite') return [...facts, ['store', 'SQLite, in the data folder of one process']];
  const pooled = store.connection === 'pooled' ? ', through a pooler' : '';
  facts.push(['store', `PostgreSQL ${store.server_version ?? ''}${pooled}`]);
  if (store.connections) {
    const { used, open, waiting } = store.connections;
    facts.push(['connections', `${used} of ${open} in use, ${waiting} operations waiting`]);
  }
  if (store.notices === 'hint')
    facts.push(['notices', 'hint: commits of other processes are seen within milliseconds']);
  if (store.notices === 'polling')
    facts.push(['notices', 'polling: commits of other processes are seen within a second']);
  return facts;
}

function listColumns(nowMs: number): readonly TableColumn<SystemReplica>[] {
  return [
    { title: 'REPLICA', text: ({ id }) => id },
    { title: 'ROLE', text: ({ role }) => role },
    { title: 'VERSION', text: ({ version }) => version },
    { title: 'ADDRESS', text: ({ address }) => address, minWidth: 20 },
    { title: 'STARTED', text: (replica) => formatRelativeTime(replica.started_at, nowMs), optional: true },
    { title: 'HEARTBEAT', text: (replica) => formatRelativeTime(replica.heartbeat_at, nowMs) },
  ];
}

type Output = Parameters<typeof formatTable>[2];

function formatSystem(system: SystemState, nowMs: number, stdout: Output, paint: TerminalPaint): string {
  const lines = listFacts(system).map(([name, value]) => `  ${name.padEnd(12)} ${escapeUnsafeLine(value)}\n`);
  const { replication } = system;
  if (replication === null) return lines.join('');
  const term = replication.epoch === null ? '' : `, term ${replication.epoch}`;
  const own = `  active       ${escapeUnsafeLine(replication.id)}${term}\n`;
  const next =
    replication.replicas.length === 1
      ? '\nno replica could take over; start another one with the same database and master key: `vp docs how-to/replicas`\n'
      : '';
  return `${lines.join('')}${own}\n${formatTable(replication.replicas, listColumns(nowMs), stdout, paint)}${next}`;
}

/** `vp system`. */
export const systemCommand = command({
  name: 'system',
  summary: 'show the store of the control plane, and its replicas',
  positionals: [],
  flags: controlPlaneFlags,
  examples: [['vp system', 'engine of the store, the active replica and those that could take over']],
  notes:
    'For owners. Replicas are those that have said within 5 seconds that they live. `vp doctor` examines an application and its ' +
    'executor. With --json: {"system": {…}}.',
  async run({ flags, json, environment }) {
    const { streams, variables, clock } = environment;
    const client = await openClient(flags, environment);
    const system = await client.system.get();
    const paint = paintFor(streams.stdout, variables);
    streams.stdout.write(
      json ? `${JSON.stringify({ system }, null, 2)}\n` : formatSystem(system, clock.nowMs(), streams.stdout, paint),
    );
    return exitCode.done;
  },
});
