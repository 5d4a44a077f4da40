import { readPages } from '../../client/transport/pages.ts';
import { command } from '../../command-line/command.ts';
import type { Run } from '../../contract/api.ts';
import { maxSuiteRuns, type Suite } from '../../contract/suites-api.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable } from '../../terminal/table.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { writeOutputFile } from '../output-file.ts';
import { discardNamedReports, withReportFiles } from '../run/report-files.ts';
import { formatRemark, formatState, runStyle } from '../runs/run-style.ts';
import { completeCommands } from '../suggest.ts';
import { formatSuiteDetails } from './format-suite.ts';
import { formatSuiteUrl, suiteArgument, suiteFlags } from './suite-flags.ts';

/** As many as are worth a look in a terminal. */
const maxListed = 50;

/** `vp suites show`. */
export const suitesShowCommand = command({
  name: 'suites show',
  summary: 'show a suite: its verdict, and what did not pass',
  positionals: [suiteArgument],
  flags: {
    ...suiteFlags,
    report: {
      type: 'strings',
      placeholder: '<format>=<file>',
      describe:
        'write a report of all runs to a file; formats: text, json, junit, html, sarif, ctrf, code-quality, markdown, agent',
    },
    'exit-status': {
      type: 'boolean',
      default: false,
      describe: 'exit as `vp run` does: 1 if a check was false, 4 if the suite did not pass otherwise or has not ended',
    },
  },
  examples: [
    ['vp suites show s20261120T143012345', 'what did not pass, and where its page is'],
    ['vp suites show s20261120T143012345 --report junit=out/vp.xml --exit-status', 'one verdict over all shards'],
  ],
  notes:
    'Run again what did not pass with `vp suites rerun <suite>`. With --json: {"suite": {…}, "not_passed": [run…]}.',
  run: ({ flags, args: [id = ''], json, environment, catalogue }) => {
    const { streams, variables, cwd, random } = environment;
    return withReportFiles(flags.report, { cwd, command: 'vp suites show' }, async (files) => {
      const client = await openClient(flags, environment);
      const { instance_id: instance } = await selectInstance(client, flags.instance);
      const suite = await client.suites.get(instance, id);
      const states = ['failed', 'cancelled'] as const;
      const filter = { instance, suite: suite.suite_id, states, replaced: false };
      const maxRuns = json ? maxSuiteRuns : maxListed;
      const { items } = await readPages<Run>((page) => client.runs.list({ ...filter, ...page }), maxRuns);
      const paint = paintFor(streams.stdout, variables);
      const columns = [
        { title: 'RUN ID', text: ({ run_id }: Run) => run_id },
        { title: 'STATE', text: formatState, style: (run: Run) => runStyle(run, paint) },
        { title: 'SCENARIO', text: ({ scenario_id }: Run) => scenario_id, minWidth: 12 },
        { title: 'REMARK', text: formatRemark, minWidth: 10, optional: true },
      ];
      const { failed, broken, cancelled } = suite.counts;
      const unlisted = failed + broken + cancelled - items.length;
      const rest = unlisted > 0 ? `  and ${unlisted} more: see the page, or --json\n` : '';
      const table = formatTable(items, columns, streams.stdout, paint) + rest;
      const canRerun = suite.state !== 'in_progress' && suite.outcome !== 'passed' && items.length > 0;
      const next = canRerun ? `\nrun again what did not pass: \`vp suites rerun ${suite.suite_id}\`\n` : '';
      const url = formatSuiteUrl(client, instance, suite.suite_id);
      streams.stdout.write(
        json
          ? `${JSON.stringify({ suite, not_passed: items }, null, 2)}\n`
          : `${formatSuiteDetails(suite, url, paint)}${table === '' ? '' : `\n${table}`}${await completeCommands(next, { environment, catalogue })}`,
      );
      for (const { format, file } of files)
        writeOutputFile(file, await client.suites.renderReport(instance, suite.suite_id, format), random);
      return flags['exit-status'] ? toExitCode(suite) : exitCode.done;
    });
  },
  onInvalidLine: discardNamedReports,
});

function toExitCode({ counts, outcome }: Suite): ExitCode {
  if (counts.failed > 0) return exitCode.checkFailed;
  return outcome === 'passed' ? exitCode.done : exitCode.broken;
}
