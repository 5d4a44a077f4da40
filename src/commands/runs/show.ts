import { findRunId } from '../../client/find-run.ts';
import { command } from '../../command-line/command.ts';
import type { RunDocument } from '../../contract/api.ts';
import { version } from '../../environment/version.ts';
import { exitCode } from '../../errors/exit-code.ts';
import type { RunResults, UnfinishedRun } from '../../report/results.ts';
import { paintFor } from '../../terminal/paint.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { discardNamedReports, withReportFiles, writeReportFiles } from '../run/report-files.ts';
import { formatRunDetails } from './format-run.ts';

/** `vp runs show`. */
export const runsShowCommand = command({
  name: 'runs show',
  summary: 'show all details of a run',
  positionals: [
    {
      name: 'run',
      describe: 'run id, correlation id (`tr-…`), or a part that only one run has',
      required: true,
      kind: 'run',
    },
  ],
  flags: {
    report: {
      type: 'strings',
      placeholder: '<format>=<file>',
      describe:
        'write the report to a file; formats: text, json, junit, html, sarif, ctrf, code-quality, markdown, agent',
    },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp runs show 20261120T143012345', 'shows its report, checks, request, response, log lines and rows'],
    ['vp runs show tr-20261120T143012345-x7Yz', 'the same, by the correlation id in the log of the target'],
    ['vp runs show 20261120T143012345 --report html=run.html', 'also writes it as an HTML page'],
    ['vp runs show 20261120T143012345 --report agent=prompt.md', 'also writes it for the prompt of a coding agent'],
  ],
  notes: 'Exit code 0: the run exists, whatever its result. With --json: the run with `report` and `scenario_text`.',
  run: ({ flags, args: [runId = ''], json, environment }) => {
    const { streams, variables, cwd } = environment;
    return withReportFiles(flags.report, { cwd, command: 'vp runs show' }, async (files) => {
      const { runs } = await openClient(flags, environment);
      const run = await runs.get(await findRunId(runs, runId));
      const results = toResults(run);
      const paint = paintFor(streams.stdout, variables);
      streams.stdout.write(
        json ? `${JSON.stringify(run, null, 2)}\n` : formatRunDetails(run, results.sources.get(run.scenario_id), paint),
      );
      writeReportFiles(files, results, environment);
      return exitCode.done;
    });
  },
  onInvalidLine: discardNamedReports,
});

function toResults(run: RunDocument): RunResults {
  const { report, scenario_text: text, scenario_id: id, instance, revision } = run;
  const file = `${instance}/${id}${revision === null ? '' : `@${revision}`}`;
  const startedAtMs = Date.parse(run.started_at ?? run.requested_at);
  return {
    reports: report ? [report] : [],
    unfinished: report ? [] : [toUnfinishedRun(run)],
    startedAtMs,
    finishedAtMs: run.finished_at === null ? startedAtMs : Date.parse(run.finished_at),
    version,
    sources: text === null ? new Map() : new Map([[id, { file, text, inCatalogue: true }]]),
  };
}

function toUnfinishedRun({ run_id: runId, scenario_id: scenarioId, instance, state }: RunDocument): UnfinishedRun {
  const hint = state === 'queued' || state === 'in_progress' ? 'not finished yet' : `it is ${state} and has no report`;
  return { scenarioId, instance, runId, state: state === 'in_progress' ? state : 'queued', hint };
}
