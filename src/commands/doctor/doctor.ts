/** `vp doctor`: checks everything that can be wrong after onboarding. */
import { join, resolve } from 'node:path';
import { command, type Invocation } from '../../command-line/command.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { errorTable } from '../../errors/table.ts';
import { type DoctorCheckResult, type DoctorReport, runDoctor } from '../../onboarding/doctor/doctor.ts';
import { findOnboardedInstance, listOnboardedInstances } from '../../onboarding/onboarded-instances.ts';
import type { JournalFacts } from '../../onboarding/workflow/journal.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { createProgress } from '../../terminal/progress.ts';
import { agentFolderFlags } from '../agents/folder-flags.ts';
import { findProductFolder } from '../authoring/placeholders.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { databaseFlags } from '../database-flags.ts';
import { findTestFolder } from '../run/select-local.ts';
import { completeCommands } from '../suggest.ts';
import { formatCounts, formatSetupCheck, formatSkipped } from './checks-text.ts';
import { doctorContext } from './doctor-context.ts';

const flags = {
  ...agentFolderFlags,
  scenarios: {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of scenarios (default: `scenarios` in --test-dir, else ./scenarios or ./test/scenarios)',
  },
  fix: { type: 'boolean', default: false, describe: 'fix what is safe to fix, and print what was done' },
  ...databaseFlags,
  ...controlPlaneFlags,
} as const;

type Call = Invocation<typeof flags>;

async function examine(call: Call): Promise<DoctorReport> {
  const { flags, environment } = call;
  const resolveFolder = (folder: string | undefined): string | undefined => folder && resolve(environment.cwd, folder);
  const facts = await findOnboardedFacts(call);
  const testDir = resolveFolder(flags['test-dir']) ?? facts?.test_dir;
  const productDir = resolveFolder(flags['product-dir']) ?? facts?.product_dir;
  const folder = resolveFolder(flags.scenarios) ?? findDefaultScenarios(testDir, environment.cwd);
  const scenarios = { folder, isNamed: flags.scenarios !== undefined };
  const context = await doctorContext(flags, environment, {
    testDir,
    productDir,
    defaultProjectDir: resolveFolder(findProductFolder(environment.cwd)),
    scenarios,
  });
  const progress = createProgress(environment.streams.stderr, environment.clock);
  try {
    return await runDoctor(context, { fix: flags.fix, onCheck: ({ title }) => progress.update(`checking ${title}`) });
  } finally {
    progress.stop();
  }
}

/** Without a test folder those that `vp run --local` runs here. */
function findDefaultScenarios(testDir: string | undefined, cwd: string): string {
  return testDir === undefined ? resolve(cwd, findTestFolder(undefined, cwd)) : join(testDir, 'scenarios');
}

/** Facts of the named instance, or of the only one onboarded here. Undefined if flags name folders: they are of another instance. */
async function findOnboardedFacts({ flags, environment: { paths } }: Call): Promise<JournalFacts | undefined> {
  if (flags.instance !== undefined) return (await findOnboardedInstance(paths, flags.instance))?.facts;
  if (flags['test-dir'] !== undefined || flags['product-dir'] !== undefined) return undefined;
  const [first, second] = await listOnboardedInstances(paths);
  return second === undefined ? first?.facts : undefined;
}

export function formatDoctorReport({ checks }: DoctorReport, paint: TerminalPaint): string {
  const fixable = checks.reduce((sum, check) => sum + check.fixable, 0);
  const counts = formatCounts(checks);
  const closing = counts === '' ? 'no problems found' : counts;
  const hint = fixable === 0 ? '' : `; \`vp doctor --fix\` fixes ${fixable === 1 ? 'one' : fixable} of them`;
  return `${checks.map((checked) => formatDoctorCheck(checked, paint)).join('')}${closing}${hint}${formatSkipped(checks)}\n`;
}

function formatDoctorCheck(checked: DoctorCheckResult, paint: TerminalPaint): string {
  const fixed = checked.fixed.map((action) => `    ${paint.accent('done:')} ${action}\n`);
  return `${formatSetupCheck(checked, paint)}${fixed.join('')}`;
}

/** Exit code 3 if every problem may resolve by itself, or nothing can be checked yet. */
function exitCodeFor({ checks }: DoctorReport): ExitCode {
  const wrong = checks.flatMap(({ problems }) => problems).filter(({ severity }) => severity === 'error');
  if (wrong.length === 0) return exitCode.done;
  const isWaiting = wrong.every(({ code }) => errorTable[code].exit === exitCode.notReady);
  return isWaiting ? exitCode.notReady : exitCode.checkFailed;
}

async function run(call: Call): Promise<ExitCode> {
  const { streams, variables } = call.environment;
  const report = await examine(call);
  const paint = paintFor(streams.stdout, variables, call.json);
  const text = call.json ? '' : await completeCommands(formatDoctorReport(report, paint), call);
  streams.stdout.write(call.json ? `${JSON.stringify(report, null, 2)}\n` : text);
  return exitCodeFor(report);
}

export const doctorCommand = command({
  name: 'doctor',
  summary: 'find what is wrong with an instance, and how to fix it',
  positionals: [],
  flags,
  examples: [
    ['vp doctor --test-dir tests --product-dir product', 'run every check that is possible from here'],
    ['vp doctor --instance shop --fix', 'start stopped containers'],
    ['vp doctor --database-file /etc/vp/database.url', 'also examine the database of a control plane'],
  ],
  notes:
    'The folders are those of the onboarding on this machine unless given; without any, the config of this folder or of ./product is checked. Without --fix nothing is changed. With --fix, stopped ' +
    'containers of the platform are started, missing and detached ones are created anew, and the line of .gitignore and the entry in the client’s settings are restored. Exit code 0: no problems (there may be warnings). ' +
    '1: there are problems. 3: something is not ready yet, and may resolve by itself.',
  run,
});
