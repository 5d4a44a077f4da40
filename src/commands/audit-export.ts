import type { AuditFormat } from '../contract/hub-audit-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { sinceMoment } from './runs/since.ts';

const formats: readonly AuditFormat[] = ['jsonl', 'csv', 'otel'];

/** `vp audit export`. */
export const auditExportCommand = command({
  name: 'audit export',
  summary: 'write the audit of a hub to standard output, oldest call first',
  positionals: [{ name: 'hub', describe: 'slug of the hub', required: true }],
  flags: {
    format: {
      type: 'string',
      placeholder: '<format>',
      choices: formats,
      default: 'jsonl',
      describe: 'jsonl (a call on each line), csv, or otel (OpenTelemetry logs, OTLP as JSON lines)',
    },
    since: { type: 'string', placeholder: '<time>', describe: 'only calls since: 30s, 15m, 1h, 7d, or a moment' },
    until: { type: 'string', placeholder: '<time>', describe: 'only calls until then' },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp audit export acme > audit.jsonl', 'everything that is kept'],
    ['vp audit export acme --format csv --since 7d > week.csv', 'the last week for a spreadsheet'],
  ],
  notes: 'Owners of the hub only. With --json the output is the same: it is for programs in every format.',
  async run({ flags, words: [hub = ''], environment }) {
    const { streams, clock } = environment;
    const { hubAudit } = await connect(flags, environment);
    const moment = (text: string | undefined) => (text === undefined ? undefined : sinceMoment(text, clock.nowMs()));
    const [from, to] = [moment(flags.since), moment(flags.until)];
    const format = formats.find((one) => one === flags.format) ?? 'jsonl';
    const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const reader = await hubAudit.exporting(hub, format, range);
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (value) streams.stdout.write(decoder.decode(value, { stream: true }));
      if (done) break;
    }
    return exitCode.done;
  },
});
