/** `vp doctor`: everything that can be wrong after onboarding, each with its cure. */
import { join, resolve } from 'node:path';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { errorTable } from '../errors/table.ts';
import { type DoctorChecked, type DoctorReport, doctor } from '../onboarding/doctor/doctor.ts';
import { type Paint, paintFor } from '../terminal/paint.ts';
import { progressOn } from '../terminal/progress.ts';
import { agentFolderFlags } from './agents/folder-flags.ts';
import { checkText, countsText } from './checks/checks-text.ts';
import { command, type Invocation } from './command.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { doctorContext } from './doctor/ports.ts';

const flags = {
  ...agentFolderFlags,
  scenarios: {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of scenarios; `scenarios` in the folder of the test agent, or here, unless given',
  },
  fix: { type: 'boolean', default: false, describe: 'clear what is safe to clear, and say what was done' },
  ...controlPlaneFlags,
} as const;

type Call = Invocation<typeof flags>;

async function examine({ flags, environment }: Call): Promise<DoctorReport> {
  const at = (folder: string | undefined): string | undefined => folder && resolve(environment.cwd, folder);
  const testDir = at(flags['test-dir']);
  const folder = at(flags.scenarios) ?? join(testDir ?? environment.cwd, 'scenarios');
  const scenarios = { folder, isNamed: flags.scenarios !== undefined };
  const context = await doctorContext(flags, environment, { testDir, productDir: at(flags['product-dir']), scenarios });
  const progress = progressOn(environment.streams.stderr, environment.clock);
  try {
    return await doctor(context, { fix: flags.fix, onCheck: ({ title }) => progress.tell(`looking at ${title}`) });
  } finally {
    progress.end();
  }
}

function textOf({ checks }: DoctorReport, paint: Paint): string {
  const fixable = checks.reduce((sum, check) => sum + check.fixable, 0);
  const counts = countsText(checks);
  const closing = counts === '' ? 'all is well' : counts;
  const hint = fixable === 0 ? '' : `; \`vp doctor --fix\` clears ${fixable === 1 ? 'one' : fixable} of them`;
  return `${checks.map((checked) => doctorText(checked, paint)).join('')}${closing}${hint}\n`;
}

function doctorText(checked: DoctorChecked, paint: Paint): string {
  const fixed = checked.fixed.map((what) => `    ${paint.accent('done:')} ${what}\n`);
  return `${checkText(checked, paint)}${fixed.join('')}`;
}

/** 3 where all that is wrong may clear by itself, or nothing can be seen yet. */
function codeOf({ checks }: DoctorReport): ExitCode {
  const wrong = checks.flatMap(({ problems }) => problems).filter(({ severity }) => severity === 'error');
  if (wrong.length === 0) return exitCode.done;
  const isWaiting = wrong.every(({ code }) => errorTable[code].exit === exitCode.notReady);
  return isWaiting ? exitCode.notReady : exitCode.checkFailed;
}

async function run(call: Call): Promise<ExitCode> {
  const { streams, variables } = call.environment;
  const report = await examine(call);
  const paint = paintFor(streams.stdout, variables, call.json);
  streams.stdout.write(call.json ? `${JSON.stringify(report, null, 2)}\n` : textOf(report, paint));
  return codeOf(report);
}

/** The command. */
export const doctorCommand = command({
  name: 'doctor',
  summary: 'find what is wrong with an onboarded instance, and tell how to clear it',
  positionals: [],
  flags,
  examples: [
    ['vp doctor --test-dir tests --product-dir product', 'everything, as far as it can be seen from here'],
    ['vp doctor --instance shop --fix', 'start what was stopped'],
  ],
  notes:
    'Without --fix nothing is changed. With it: containers of the platform that were stopped are started, the line of ' +
    '.gitignore and the entry of the client’s settings are put back. Exit code 0: all is well (there may be warnings). ' +
    '1: something is wrong. 3: something is not ready, and may clear by itself.',
  run,
});
