import { command } from '../../command-line/command.ts';
import type { AuditExportFormat } from '../../contract/hubs/audit-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { parseSince } from '../runs/parse-since.ts';

const formats: readonly AuditExportFormat[] = ['jsonl', 'csv', 'otel'];

/** `vp audit export`. */
export const auditExportCommand = command({
  name: 'audit export',
  summary: 'write the audit log of a hub to standard output, oldest call first',
  positionals: [hubArgument],
  flags: {
    format: {
      type: 'string',
      placeholder: '<format>',
      choices: formats,
      default: 'jsonl',
      describe: 'jsonl (one call per line), csv, or otel (OpenTelemetry logs, OTLP as JSON lines)',
    },
    since: {
      type: 'string',
      placeholder: '<time>',
      describe: 'only calls since then: 30s, 15m, 1h, 7d, or a timestamp',
    },
    until: { type: 'string', placeholder: '<time>', describe: 'only calls until then' },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp audit export acme > audit.jsonl', 'the whole audit log'],
    ['vp audit export acme --format csv --since 7d > week.csv', 'the last week, for a spreadsheet'],
  ],
  notes: 'For owners of the hub only. --json does not change the output: every format is machine-readable.',
  async run({ flags, args: [hub = ''], environment }) {
    const { streams, clock } = environment;
    const { hubAudit } = await openClient(flags, environment);
    const parseTime = (flag: '--since' | '--until', text: string | undefined) =>
      text === undefined ? undefined : parseSince(text, clock.nowMs(), { command: 'vp audit export', flag });
    const [from, to] = [parseTime('--since', flags.since), parseTime('--until', flags.until)];
    const format = formats.find((candidate) => candidate === flags.format) ?? 'jsonl';
    const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const reader = await hubAudit.streamExport(hub, format, range);
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (value) streams.stdout.write(decoder.decode(value, { stream: true }));
      if (done) break;
    }
    return exitCode.done;
  },
});
