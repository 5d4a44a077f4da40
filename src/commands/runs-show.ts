import type { RunDocument } from '../contract/api.ts';
import { version } from '../environment/version.ts';
import { exitCode } from '../errors/exit-code.ts';
import type { Results, UnfinishedRun } from '../report/results.ts';
import { paintFor } from '../terminal/paint.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { reportFilesOf, writeReportFiles } from './run/report-files.ts';
import { runText } from './runs/run-text.ts';

/** `vp runs show`. */
export const runsShowCommand = command({
  name: 'runs show',
  summary: 'tell everything about a run',
  positionals: [{ name: 'run', describe: 'run id, as `vp runs` lists it', required: true }],
  flags: {
    report: {
      type: 'strings',
      placeholder: '<format>=<file>',
      describe: 'write the report to a file: text, json, junit or html',
    },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp runs show 20261120T143012345', 'its report, checks, request and response'],
    ['vp runs show 20261120T143012345 --report html=run.html', 'the same as a page'],
  ],
  notes:
    'Exit code 0: the run is known, whatever became of it. With --json: the run with `report` and `scenario_text`.',
  async run({ flags, words: [runId = ''], json, environment }) {
    const { streams, variables, cwd } = environment;
    const files = reportFilesOf(flags.report, cwd, 'vp runs show');
    const { runs } = await connect(flags, environment);
    const run = await runs.get(runId);
    const results = resultsOf(run);
    const paint = paintFor(streams.stdout, variables);
    streams.stdout.write(
      json ? `${JSON.stringify(run, null, 2)}\n` : runText(run, results.sources.get(run.scenario_id), paint),
    );
    writeReportFiles(files, results, environment.random);
    return exitCode.done;
  },
});

function resultsOf(run: RunDocument): Results {
  const { report, scenario_text: text, scenario_id: id, instance, revision } = run;
  const file = `${instance}/${id}${revision === null ? '' : `@${revision}`}`;
  const startedAtMs = Date.parse(run.started_at ?? run.requested_at);
  return {
    reports: report ? [report] : [],
    unfinished: report ? [] : [unfinishedOf(run)],
    startedAtMs,
    finishedAtMs: run.finished_at === null ? startedAtMs : Date.parse(run.finished_at),
    version,
    sources: text === null ? new Map() : new Map([[id, { file, text }]]),
  };
}

function unfinishedOf({ run_id: runId, scenario_id: scenarioId, instance, state }: RunDocument): UnfinishedRun {
  const hint = state === 'queued' || state === 'in_progress' ? 'not ended yet' : `it is ${state} and has no report`;
  return { scenarioId, instance, runId, state: state === 'in_progress' ? state : 'queued', hint };
}
